/** Where something is in the configuration: keys and, for lists, indices. */
export type ConfigPath = readonly (string | number)[];

/** A place in the text of the file, both counted from one. */
export interface Position {
  readonly line: number;
  readonly column: number;
}

/** One thing that is wrong, in a sentence that says how to put it right. */
export interface Problem {
  readonly path: ConfigPath;
  /** Whether the key itself is at fault (unknown, badly named) or what it holds. */
  readonly at: "key" | "value";
  readonly message: string;
  /** Known from the start for errors of syntax; otherwise looked up by the path. */
  readonly position?: Position | undefined;
}

/** Finds the place of a key or a value; undefined for what is not in the file. */
export type Locate = (path: ConfigPath, at: "key" | "value") => Position | undefined;

/**
 * A path as people write it: `toolboxes.dev.mcpServers["my server"].args[0]`. Unusual keys are
 * quoted and escaped, so that a message stays on one line whatever the file contains.
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
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

/** `line:column  path: message`, in the order of the file and each only once. */
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
