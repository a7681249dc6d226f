import { transform } from "sucrase";

import { isObject } from "../../text/json.ts";
import { PREFIX_LINES, type Position, stackEntry } from "../script-position.ts";
import { alignColumns } from "./align-columns.ts";

/** Why a script is not TypeScript, and where. */
export interface SyntaxProblem {
  readonly message: string;
  readonly stackText: string;
}

/**
 * JavaScript for a script in TypeScript, with every token where it was. `prefixLines` precede the script in
 * `source`.
 */
export function stripTypes(source: string, prefixLines = PREFIX_LINES): string | SyntaxProblem {
  const plain = withoutTypes(source, prefixLines);
  const namespace = typeof plain === "string" ? removedNamespace(source, plain) : undefined;
  if (namespace === undefined) return plain;
  const message = "TypeScript namespaces are not supported in scripts; use an object";
  return { message, stackText: entryFor(source, namespace, prefixLines) };
}

/** White space that scripts do not contain. */
const MARK = "\ufeff";

function withoutTypes(source: string, prefixLines: number): string | SyntaxProblem {
  // The parser loses all places behind an empty text in a template, so those get a character.
  const marked = source.includes(MARK) ? source : source.replace(/[`}](?=\$\{|`)/g, `$&${MARK}`);
  const unmarked = (text: string): string => (marked === source ? text : text.replaceAll(MARK, ""));
  try {
    const { code, sourceMap } = transform(marked, {
      transforms: ["typescript"],
      disableESTransforms: true,
      keepUnusedImports: true,
      filePath: "script",
      sourceMapOptions: { compiledFilename: "script" },
    });
    return unmarked(alignColumns(code, marked, sourceMap?.mappings ?? ""));
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    const message = error.message.replace(/^Error transforming script: | \(\d+:\d+\)$/g, "");
    const loc: unknown = (error as { loc?: unknown }).loc;
    const { line = 0, column = 0 } = (isObject(loc) ? loc : {}) as Partial<Position>;
    const before = unmarked((marked.split("\n")[line - 1] ?? "").slice(0, column - 1));
    const place = { line, column: before.length + 1 };
    const stackText = line > 0 ? entryFor(source, place, prefixLines) : "";
    return { message: `${message} (TypeScript)`, stackText };
  }
}

/** The parser takes namespaces for types, although they may contain code. */
function removedNamespace(source: string, plain: string): Position | undefined {
  const lines = plain.split("\n");
  for (const found of source.matchAll(NAMESPACE)) {
    const [text, declaration = ""] = found;
    const before = source.slice(0, found.index + text.length - declaration.length).split("\n");
    const [start = ""] = declaration.split("\n");
    const isRemoved = lines[before.length - 1]?.includes(start) === false;
    if (isRemoved && !text.startsWith("declare"))
      return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 };
  }
  return undefined;
}

const NAMESPACE = /(?:\bdeclare\s+)?((?<![\w$.])(?:namespace|module)\s+[\w$.]+\s*\{)/g;

/** The entry of a stack trace for a place in the source. */
function entryFor(source: string, { line, column }: Position, prefixLines: number): string {
  const text = source.split("\n")[line - 1] ?? "";
  const bytes = Buffer.byteLength(text.slice(0, column - 1));
  return stackEntry({ line: line - prefixLines, column: bytes + 1 });
}
