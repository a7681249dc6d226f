import { type FSWatcher, readdirSync, watch } from "node:fs";
import { join } from "node:path";

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
  readonly scripts: readonly ScriptFile[];
  /** Why files are left out, one line each. */
  readonly problems: readonly string[];
}

const NAME = /^([A-Za-z0-9][A-Za-z0-9_.-]{0,63})\.(?:ts|js)$/;
const DECLARATIONS = /\.d\.ts$/;
const MAX_SCRIPTS = 200;
const MAX_SOURCE_BYTES = 256 * 1024;
/** Editors write a file in several steps. */
const DEBOUNCE_MS = 150;

/** The scripts in a folder, by name. Throws if the folder cannot be read. */
export function readScripts(folder: string): ScriptFiles {
  const scripts = new Map<string, ScriptFile>();
  const problems: string[] = [];
  for (const file of readdirSync(folder).sort()) {
    const name = DECLARATIONS.test(file) ? undefined : NAME.exec(file)?.[1];
    if (name === undefined) continue;
    try {
      const known = scripts.get(name);
      if (known !== undefined) throw new Error(`${known.file} has the same name`);
      if (scripts.size >= MAX_SCRIPTS)
        throw new Error(`there are more than ${MAX_SCRIPTS} scripts`);
      const bytes = readRegularFile(join(folder, file));
      if (bytes.length > MAX_SOURCE_BYTES)
        throw new Error(`it is larger than ${MAX_SOURCE_BYTES / 1024} KB`);
      scripts.set(name, { name, file, source: bytes.toString("utf8") });
    } catch (error) {
      problems.push(`${safeLine(file)}: ${reasonOf(error)}`);
    }
  }
  return { scripts: [...scripts.values()], problems };
}

/** Calls `onChange` shortly after something in the folder has changed; `onLost` if it is gone. */
export function watchScripts(folder: string, onChange: () => void, onLost: () => void): () => void {
  let timer: NodeJS.Timeout | undefined;
  const watcher: FSWatcher = watch(folder, { persistent: false }, () => {
    clearTimeout(timer);
    timer = setTimeout(onChange, DEBOUNCE_MS).unref();
  });
  watcher.on("error", onLost);
  return () => {
    clearTimeout(timer);
    watcher.close();
  };
}
