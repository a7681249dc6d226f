import { unicodeEscape } from "../text/safe-text.ts";

/** The location of a value in the configuration: keys and, for lists, indices. */
export type ConfigPath = readonly (string | number)[];

/** A position in the text of the file; both numbers start at one. */
export interface Position {
  readonly line: number;
  readonly column: number;
}

/** One problem, in a sentence that says how to fix it. */
export interface Problem {
  readonly path: ConfigPath;
  /** Whether the key itself is wrong (unknown, badly named) or its value. */
  readonly at: "key" | "value";
  readonly message: string;
  /** Set for syntax errors; otherwise looked up by the path. */
  readonly position?: Position | undefined;
}

/** Finds the position of a key or a value; undefined if it is not in the file. */
export type Locate = (path: ConfigPath, at: "key" | "value") => Position | undefined;

/**
 * A path as people write it: `toolboxes.dev.mcpServers["my server"].args[0]`. Unusual keys are
 * quoted and escaped, so a message stays on one line whatever the file contains.
 */
export function pathText(path: ConfigPath): string {
  let text = "";
  for (const step of path) {
    if (typeof step === "number") text += `[${step}]`;
    else if (!/^[\w$][\w$-]*$/.test(step)) text += `[${quoted(step)}]`;
    else text += text === "" ? step : `.${step}`;
  }
  return text;
}

/** A name from the file, quoted, shortened and free of control characters. */
export function quoted(name: string): string {
  const text = JSON.stringify(name.length > 80 ? `${name.slice(0, 80)}…` : name);
  return text.replace(
    /[\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/g,
    unicodeEscape,
  );
}

/** `line:column  path: message`, in file order and without duplicates. */
export function renderProblems(problems: readonly Problem[], locate: Locate): string[] {
  const located = problems.map((problem) => ({
    problem,
    position: problem.position ?? locate(problem.path, problem.at),
  }));
  located.sort((a, b) => comparePositions(a.position, b.position));
  const lines = located.map(({ problem, position }) => {
    const place = position === undefined ? "" : `${position.line}:${position.column}  `;
    const path = pathText(problem.path);
    return `${place}${path === "" ? "" : `${path}: `}${problem.message}`;
  });
  return [...new Set(lines)];
}

function comparePositions(a: Position | undefined, b: Position | undefined): number {
  if (a === undefined || b === undefined) return 0;
  return a.line - b.line || a.column - b.column;
}
