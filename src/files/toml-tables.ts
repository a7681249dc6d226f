import type { KeyPath } from "./editor.ts";

/** One `[table]` of a TOML text, from its header to the end of its last line. */
export interface TableRange {
  readonly path: KeyPath;
  readonly start: number;
  readonly end: number;
}

/**
 * Finds the tables of a valid TOML text. Comments and blank lines after the last key of a table belong
 * to the next table, which they describe.
 */
export function scanTables(text: string): readonly TableRange[] {
  const tables: TableRange[] = [];
  for (let at = text.startsWith("\uFEFF") ? 1 : 0; at < text.length;) {
    const line = /^[ \t]*/.exec(text.slice(at))?.[0].length ?? 0;
    const end = statementEnd(text, at);
    const first = text[at + line];
    const isContent = first !== undefined && !"#\r\n".includes(first);
    const last = tables.at(-1);
    if (first === "[") tables.push({ path: headerPath(text.slice(at + line)), start: at, end });
    else if (isContent && last !== undefined) tables[tables.length - 1] = { ...last, end };
    at = end;
  }
  return tables;
}

const STRING = /"""(?:[^\\]|\\[^])*?"{3,5}|'''[^]*?'{3,5}|"(?:[^"\\\n]|\\.)*"|'[^'\n]*'|#[^\n]*/y;

/** The end of the statement that starts at an offset, including its line break. */
function statementEnd(text: string, from: number): number {
  let depth = 0;
  for (let at = from; at < text.length; at += 1) {
    const character = text[at] ?? "";
    STRING.lastIndex = at;
    const skipped = `"'#`.includes(character) ? STRING.exec(text)?.[0].length : undefined;
    if (skipped !== undefined) at += skipped - 1;
    else if ("[{".includes(character)) depth += 1;
    else if ("]}".includes(character)) depth -= 1;
    else if (character === "\n" && depth === 0) return at + 1;
  }
  return text.length;
}

const HEADER_KEY = /[\s.[]*(?:"((?:[^"\\]|\\.)*)"|'([^']*)'|([\w-]+))/y;

function headerPath(header: string): KeyPath {
  const path: string[] = [];
  HEADER_KEY.lastIndex = 0;
  for (;;) {
    const found = HEADER_KEY.exec(header);
    if (found === null) return path;
    const [, basic, literal, bare] = found;
    path.push(basic === undefined ? (literal ?? bare ?? "") : unescape(basic));
    if (/^\s*\]/.test(header.slice(HEADER_KEY.lastIndex))) return path;
  }
}

function unescape(basic: string): string {
  try {
    return String(JSON.parse(`"${basic}"`));
  } catch {
    return basic;
  }
}
