/** Readers in other programs: where they end a line, and which of several keys they use. */

// oxlint-disable-next-line no-control-regex -- control characters are what this finds.
export const LINE_END = /\r\n|[\n\v\f\r\u001c-\u001f\u0085\u2028\u2029]/;

/** The members of every object in the order they are written, which JSON.parse does not keep. */
class Members {
  readonly list: [key: string, value: unknown][] = [];
}

/** Parses valid JSON without losing a member. */
export function parseAll(text: string): unknown {
  let at = 0;
  const space = (): void => {
    while (" \t\r\n".includes(text.charAt(at)) && at < text.length) at++;
  };
  const string = (): string => {
    const start = at++;
    while (text.charAt(at) !== '"') at += text.charAt(at) === "\\" ? 2 : 1;
    return JSON.parse(text.slice(start, ++at)) as string;
  };
  const value = (): unknown => {
    space();
    const open = text.charAt(at);
    if (open === '"') return string();
    if (open !== "{" && open !== "[") {
      const start = at;
      while (at < text.length && !",]} \t\r\n".includes(text.charAt(at))) at++;
      return JSON.parse(text.slice(start, at)) as unknown;
    }
    at++;
    const members = new Members();
    const elements: unknown[] = [];
    for (space(); text.charAt(at) !== "}" && text.charAt(at) !== "]"; space()) {
      if (text.charAt(at) === ",") at++;
      space();
      if (open === "{") {
        const key = string();
        space();
        at++;
        members.list.push([key, value()]);
      } else elements.push(value());
    }
    at++;
    return open === "{" ? members : elements;
  };
  return value();
}

export type Reading = Readonly<Record<string, unknown>>;

const lenient = (key: string): string =>
  key.split("\0", 1).join("").toUpperCase().toLowerCase().replaceAll("\u0307", "");

/** An object as four kinds of readers see it: with and without case, the first or the last wins. */
function readings({ list }: Members): { exact: Reading[]; folded: Reading[] } {
  const folded = list.map(([key, value]): [string, unknown] => [lenient(key), value]);
  const both = (members: readonly [string, unknown][]): Reading[] => [
    lastWins(members),
    lastWins(members.toReversed()),
  ];
  return { exact: both(list), folded: both(folded) };
}

function lastWins(members: readonly (readonly [string, unknown])[]): Reading {
  const reading: Record<string, unknown> = Object.create(null) as Record<string, unknown>;
  for (const [key, value] of members) reading[key] = value;
  return reading;
}

/** What readers see under a key of an object: one value if they agree. */
export function seenBy(parsed: unknown, key: string): unknown[] {
  if (!(parsed instanceof Members)) return [undefined];
  const { exact, folded } = readings(parsed);
  const values = [
    ...exact.map((reading) => reading[key]),
    ...folded.map((reading) => reading[lenient(key)]),
  ];
  return [...new Set(values)];
}
