import { NotRunnable } from "./offer.ts";

/**
 * A part of a text for the configuration. A configuration expands `${…}`: the publisher must not be
 * able to write a reference, such as one to a secret, but the user may.
 */
export interface WrittenPart {
  readonly text: string;
  readonly from: "publisher" | "user";
}

/** The text as it is written to the configuration. */
export function writtenText(parts: readonly WrittenPart[]): string {
  const joined = merged(parts);
  for (const [index, { text }] of joined.entries()) {
    const next = joined[index + 1];
    // Together they could be a reference that neither of them is, or an escape.
    if (next !== undefined && text.endsWith("$") && /^\$*\{/.test(next.text))
      throw new NotRunnable("a value follows a '$' and would be read as a variable");
  }
  return joined.map(({ text, from }) => (from === "user" ? text : literal(text))).join("");
}

/** A text in which nothing is expanded. */
export function literal(text: string): string {
  return text.replaceAll("${", () => "$${");
}

/** Neighbours of the same origin as one part: only together do they show what they contain. */
function merged(parts: readonly WrittenPart[]): readonly WrittenPart[] {
  const result: WrittenPart[] = [];
  for (const part of parts) {
    const last = result.at(-1);
    if (part.text === "") continue;
    if (last?.from === part.from)
      result[result.length - 1] = { ...last, text: last.text + part.text };
    else result.push(part);
  }
  return result;
}
