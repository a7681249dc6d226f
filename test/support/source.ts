/** The source code as text, for the rules it has to keep. */
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, posix, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";

const SOURCE = fileURLToPath(new URL("../../src", import.meta.url));

export interface SourceFile {
  /** Relative to `src`, with slashes. */
  readonly path: string;
  readonly text: string;
}

export interface Import {
  /** As written: `../errors.ts`, `node:fs`, `zod`. */
  readonly specifier: string;
  readonly kind: "static" | "type" | "dynamic";
}

export function sourceFiles(): SourceFile[] {
  return readdirSync(SOURCE, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
    .map((file) => ({
      path: relative(SOURCE, file).split(sep).join("/"),
      text: readFileSync(file, "utf8"),
    }));
}

export function isTest({ path }: SourceFile): boolean {
  return /\.test(-d)?\.ts$/.test(path);
}

// A regular expression may contain quotes, and a string what looks like a comment: whichever begins
// first counts.
const STRING = /"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\[^])*`/.source;
const PATTERN =
  /(?<=(?:[=(,:;!&|?{}[]|\breturn|^)\s*)\/(?![*/])(?:[^/\\\n[]|\\.|\[(?:[^\]\\\n]|\\.)*\])+\//
    .source;
const COMMENT = /\/\*[^]*?\*\/|\/\/.*/.source;
const TEXT_OR_COMMENT = new RegExp(`(${STRING}|${PATTERN})|${COMMENT}`, "gm");

const blank = (text: string): string => text.replace(/[^\n]/g, " ");

/** The code without comments, strings, templates and regular expressions, with its lines kept. */
export function withoutTextAndComments(text: string): string {
  return text.replace(TEXT_OR_COMMENT, blank);
}

/** The code without comments, with its strings. */
export function withoutComments(text: string): string {
  return text.replace(
    TEXT_OR_COMMENT,
    (match, literal: string | undefined) => literal ?? blank(match),
  );
}

/** What a module imports. `import { type A }` counts as static: it still loads the module. */
export function importsOf(text: string): Import[] {
  const code = withoutComments(text);
  const imports: Import[] = [];
  const statement =
    /^\s*(?:import|export)\s+(type\s+)?(?:[\w*{][^;"']*?\s*from\s*)?["']([^"']+)["']/gm;
  for (const [, type, specifier = ""] of code.matchAll(statement)) {
    imports.push({ specifier, kind: type === undefined ? "static" : "type" });
  }
  for (const [, specifier = ""] of code.matchAll(/\bimport\(\s*["']([^"']+)["']\s*\)/g)) {
    imports.push({ specifier, kind: "dynamic" });
  }
  return imports;
}

/** The file that an import of `from` resolves to, relative to `src`; undefined for a package. */
export function resolveImport(from: string, specifier: string): string | undefined {
  if (!specifier.startsWith(".")) return undefined;
  return posix.normalize(posix.join(dirname(from), specifier));
}

/** Everything that is loaded before the first line of `entry` runs: its own files, and packages. */
export function staticImports(files: readonly SourceFile[], entry: string): Map<string, string> {
  const texts = new Map(files.map(({ path, text }) => [path, text]));
  const importedBy = new Map<string, string>([[entry, "(start)"]]);
  const pending = [entry];
  for (let path = pending.pop(); path !== undefined; path = pending.pop()) {
    const text = texts.get(path);
    if (text === undefined) continue;
    for (const { specifier, kind } of importsOf(text)) {
      const target = resolveImport(path, specifier) ?? specifier;
      if (kind !== "static" || importedBy.has(target)) continue;
      importedBy.set(target, path);
      pending.push(target);
    }
  }
  return importedBy;
}
