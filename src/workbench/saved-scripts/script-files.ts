import { type FSWatcher, readdirSync, realpathSync, statSync, watch } from "node:fs";
import { basename, extname, join, sep } from "node:path";

import { reasonOf } from "../../errors.ts";
import { readRegularFile } from "../../files/read-regular-file.ts";
import { safeLine } from "../../text/safe-text.ts";

/** A file with a script, by the name of its tool. */
export interface ScriptFile {
  readonly name: string;
  readonly file: string;
  readonly source: string;
}

export interface ScriptFiles {
  /** By name. Of several with the same name, the first that can be a tool counts. */
  readonly scripts: ReadonlyMap<string, readonly ScriptFile[]>;
  /** Why files are left out, one line each. */
  readonly problems: readonly string[];
}

const NAME = /^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$/;
const NAME_RULE =
  "its name must begin with a letter or digit and have at most 64 letters, digits, '.', '_' and '-'";
/** The first one wins. */
const EXTENSIONS = [".ts", ".js"];
/** Files that look like scripts, but cannot be one. */
const OTHER_EXTENSIONS = new Set([".tsx", ".jsx", ".mts", ".cts", ".mjs", ".cjs"]);
const DECLARATIONS = /\.d\.[cm]?ts$/;
export const MAX_SCRIPTS = 200;
/** Editors write a file in several steps. */
const DEBOUNCE_MS = 150;

/** The scripts in a folder, by name. Throws if the folder cannot be read. */
export function readScripts(folder: string, maxBytes: number): ScriptFiles {
  const scripts = new Map<string, ScriptFile[]>();
  const problems: string[] = [];
  const root = realpathSync(folder);
  for (const file of filesIn(folder)) {
    try {
      const name = nameOf(file);
      const source = readSource(root, file, maxBytes);
      const same = scripts.get(name) ?? [];
      if (same.length === 0 && scripts.size >= MAX_SCRIPTS)
        throw new Error(`there are more than ${MAX_SCRIPTS} scripts in the folder`);
      scripts.set(name, [...same, { name, file, source }]);
    } catch (error) {
      problems.push(`${safeLine(file)}: ${reasonOf(error)}`);
    }
  }
  return { scripts, problems };
}

function isScript(file: string): boolean {
  if (file.startsWith(".") || DECLARATIONS.test(file)) return false;
  return EXTENSIONS.includes(extname(file)) || OTHER_EXTENSIONS.has(extname(file));
}

/** The files that are meant to be scripts, in the order in which they count. */
function filesIn(folder: string): string[] {
  const rank = (file: string): number => EXTENSIONS.indexOf(extname(file));
  return readdirSync(folder)
    .sort()
    .filter(isScript)
    .sort((a, b) => rank(a) - rank(b));
}

function nameOf(file: string): string {
  const extension = extname(file);
  if (OTHER_EXTENSIONS.has(extension)) throw new Error("its name must end in .ts or .js");
  const name = file.slice(0, -extension.length);
  if (!NAME.test(name)) throw new Error(NAME_RULE);
  return name;
}

/** The text of a file that is really in the folder: a link could lead to any file of the user. */
function readSource(root: string, file: string, maxBytes: number): string {
  const path = realpathSync(join(root, file));
  if (!path.startsWith(root.endsWith(sep) ? root : root + sep))
    throw new Error("it is a link to a file outside of the folder");
  const tooLarge = `it is larger than ${maxBytes} bytes (setting scripts.sourceBytes)`;
  const found = statSync(path);
  if (found.isFile() && found.size > maxBytes) throw new Error(tooLarge);
  const bytes = readRegularFile(path);
  if (bytes.length > maxBytes) throw new Error(tooLarge);
  return bytes.toString("utf8");
}

/**
 * Whether a change of a file in the folder can be one of a script. Something else may change all the time, as a
 * log does, and would put off reading for as long. The name of the folder stands for the folder itself.
 */
export function concernsScripts(folder: string, file: string | null): boolean {
  return file === null || isScript(file) || file === basename(folder);
}

/** Calls `onChange` shortly after a script in the folder, or the folder itself, has changed; `onLost` if it is gone. */
export function watchScripts(folder: string, onChange: () => void, onLost: () => void): () => void {
  let timer: NodeJS.Timeout | undefined;
  const watcher: FSWatcher = watch(folder, { persistent: false }, (_event, file) => {
    if (!concernsScripts(folder, file)) return;
    clearTimeout(timer);
    timer = setTimeout(onChange, DEBOUNCE_MS).unref();
  });
  watcher.on("error", onLost);
  return () => {
    clearTimeout(timer);
    watcher.close();
  };
}
