/**
 * Files with lines of `NAME=value`, as many programs read them:
 *
 *   # a comment
 *   NAME=value               up to the end of the line or ` #`, without surrounding spaces
 *   export NAME='any text'   literally; may contain line breaks
 *   NAME="with\nescapes"     \n \r \t \" \\ \$ \`; may contain line breaks, too
 *
 * Nothing is expanded: `$` is an ordinary character.
 */

/** One assignment and the characters it takes up, including its line break. */
export interface Assignment {
  readonly name: string;
  readonly value: string;
  readonly start: number;
  readonly end: number;
}

/** A line that cannot be read. Its text may be a secret, so it is not part of the message. */
export interface DotenvProblem {
  readonly line: number;
  readonly message: string;
}

export interface Dotenv {
  readonly assignments: readonly Assignment[];
  readonly problems: readonly DotenvProblem[];
}

const BLANK = /[ \t\f]*(?:#[^\r\n]*)?(?:\r\n|\n|\r|$)/y;
const NAME = /[ \t]*(?:export[ \t]+)?([A-Za-z_][\w.-]*)[ \t]*=[ \t]*/y;
const QUOTED =
  /(?:'([^']*)'|"((?:[^"\\]|\\[^])*)"|`([^`]*)`)[ \t\f]*(?:#[^\r\n]*)?(?:\r\n|\n|\r|$)/y;
const PLAIN = /([^\r\n]*)(?:\r\n|\n|\r|$)/y;

export function parseDotenv(text: string): Dotenv {
  const assignments: Assignment[] = [];
  const problems: DotenvProblem[] = [];
  const match = (pattern: RegExp, from: number): RegExpExecArray | null => {
    pattern.lastIndex = from;
    return pattern.exec(text);
  };
  let at = text.startsWith("\ufeff") ? 1 : 0;
  while (at < text.length) {
    const blank = match(BLANK, at);
    if (blank !== null) {
      at += blank[0].length;
      continue;
    }
    const report = (message: string): unknown => problems.push({ line: lineOf(text, at), message });
    const name = match(NAME, at);
    const start = at;
    const valueAt = at + (name?.[0].length ?? 0);
    const quoted = name && match(QUOTED, valueAt);
    if (quoted !== null && name !== null) {
      at = valueAt + quoted[0].length;
      const [, single, double, back] = quoted;
      const value = single ?? back ?? unescaped(double ?? "");
      assignments.push({ name: name[1] ?? "", value, start, end: at });
      continue;
    }
    const line = match(PLAIN, valueAt);
    const [all = "", rest = ""] = line ?? [];
    if (name === null) report("is not NAME=value");
    else {
      if (/^["'`]/.test(rest)) report("has a quotation mark that is not closed");
      const value = rest.replace(/[ \t\f]+#.*$/, "").trim();
      assignments.push({ name: name[1] ?? "", value, start, end: valueAt + all.length });
    }
    at = valueAt + all.length;
  }
  return { assignments, problems };
}

/** The variables of a file; of several assignments to one name, the last counts. */
export function variablesOf({ assignments }: Dotenv): Map<string, string> {
  return new Map(assignments.map(({ name, value }) => [name, value]));
}

/** Sets variables and keeps all other bytes: a known name keeps its line, a new one is appended. */
export function setVariables(text: string, values: ReadonlyMap<string, string>): string {
  const eol = /\r?\n/.exec(text)?.[0] ?? "\n";
  let result = text;
  for (const [name, value] of values) {
    const line = `${name}=${quote(value)}${eol}`;
    const known = parseDotenv(result).assignments.findLast((one) => one.name === name);
    if (known !== undefined) {
      if (known.value !== value)
        result = result.slice(0, known.start) + line + result.slice(known.end);
    } else {
      const isOpen = result !== "" && !/[\r\n]$/.test(result);
      result += (isOpen ? eol : "") + line;
    }
  }
  return result;
}

/** Removes every assignment to these names and keeps all other bytes. */
export function removeVariables(text: string, names: ReadonlySet<string>): string {
  let result = text;
  for (const { name, start, end } of parseDotenv(text).assignments.toReversed())
    if (names.has(name)) result = result.slice(0, start) + result.slice(end);
  return result;
}

/** Readable by shells and by other programs with the same meaning. */
function quote(value: string): string {
  if (/^[\w./:@%+,=~^-]+$/.test(value)) return value;
  if (!/['\r]/.test(value)) return `'${value}'`;
  const escaped = value
    .replaceAll(/["\\$`]/g, String.raw`\$&`)
    .replaceAll("\n", String.raw`\n`)
    .replaceAll("\r", String.raw`\r`);
  return `"${escaped}"`;
}

const ESCAPES: Readonly<Record<string, string>> = { n: "\n", r: "\r", t: "\t" };

function unescaped(text: string): string {
  return text.replaceAll(
    /\\([nrt"\\$`])/g,
    (_, character: string) => ESCAPES[character] ?? character,
  );
}

function lineOf(text: string, offset: number): number {
  return text.slice(0, offset).split(/\r\n|\n|\r/).length;
}
