import type { NamedTemplate, Offer, Template, WordGroup } from "./offer.ts";
import { NotRunnable } from "./offer.ts";
import { addressProblem } from "./address-problem.ts";
import { type WrittenPart, literal, writtenText } from "./written-text.ts";

/** The values of inputs by name; an input without an entry has none. */
export type InputValues = ReadonlyMap<string, readonly WrittenPart[]>;

/** An entry of the configuration. */
export type FilledEntry =
  | {
      readonly command: string;
      readonly args?: readonly string[];
      readonly env?: Readonly<Record<string, string>>;
      readonly cwd?: string;
    }
  | {
      readonly type: "http" | "sse";
      readonly url: string;
      readonly headers?: Readonly<Record<string, string>>;
    };

/** The entry for an offer with the values that the user chose. Throws NotRunnable. */
export function filledEntry(
  { runs, connects, transport }: Offer,
  values: InputValues,
): FilledEntry {
  if (runs !== undefined) {
    const args = runs.args.flatMap((group) => wordsOf(group, values));
    const env = pairsOf(runs.env, values);
    return {
      command: literal(runs.command),
      ...(args.length > 0 && { args }),
      ...(Object.keys(env).length > 0 && { env }),
      ...(runs.cwd !== undefined && { cwd: literal(runs.cwd) }),
    };
  }
  if (connects === undefined) throw new NotRunnable("it names neither a package nor an address");
  const url = textOf(connects.url, values);
  if (url === undefined) throw new NotRunnable("a part of its address has no value");
  checkUrl(connects.url, values);
  const headers = pairsOf(connects.headers, values);
  return {
    type: transport === "sse" ? "sse" : "http",
    url,
    ...(Object.keys(headers).length > 0 && { headers }),
  };
}

/** The inputs in some templates. */
export function inputsIn(templates: readonly Template[]): readonly string[] {
  const all = templates.flat().flatMap((part) => (typeof part === "string" ? [] : [part.input]));
  return [...new Set(all)];
}

function wordsOf({ words, needs = [], flag }: WordGroup, values: InputValues): readonly string[] {
  if (flag !== undefined && values.get(flag)?.[0]?.text !== "true") return [];
  const inputs = inputsIn(words);
  if ([...inputs, ...needs].some((name) => values.get(name) === undefined)) return [];
  const several = inputs.find((name) => (values.get(name)?.length ?? 0) > 1);
  if (several === undefined) return words.map((word) => textOf(word, values) ?? "");
  return (values.get(several) ?? []).flatMap((one) =>
    wordsOf({ words }, new Map([...values, [several, [one]]])),
  );
}

function pairsOf(
  templates: readonly NamedTemplate[],
  values: InputValues,
): Readonly<Record<string, string>> {
  const pairs = templates.flatMap(({ name, value }) => {
    const text = textOf(value, values);
    return text === undefined ? [] : [[name, text] as const];
  });
  return Object.fromEntries(pairs);
}

/** Undefined if an input has no value. */
function textOf(template: Template, values: InputValues): string | undefined {
  const parts = partsOf(template, values);
  return parts === undefined ? undefined : writtenText(parts);
}

function partsOf(template: Template, values: InputValues): readonly WrittenPart[] | undefined {
  const parts: WrittenPart[] = [];
  for (const part of template) {
    if (typeof part === "string") {
      parts.push({ text: part, from: "publisher" });
      continue;
    }
    const [value, ...more] = values.get(part.input) ?? [];
    if (value === undefined) return undefined;
    if (more.length > 0)
      throw new NotRunnable(`${part.input} can have only one value where it is used`);
    parts.push(value);
  }
  return parts;
}

const REFERENCE = /\$\{[^}]*\}/g;

/** The address with its values must still be one that may be contacted. */
function checkUrl(url: Template, values: InputValues): void {
  const text = (partsOf(url, values) ?? [])
    .map((part) => (part.from === "user" ? part.text.replace(REFERENCE, "x") : part.text))
    .join("");
  const [first] = partsOf(url, values) ?? [];
  const isReference = first?.from === "user" && first.text.search(REFERENCE) === 0;
  // Its beginning is known only when the server is connected, which checks it.
  if (isReference) return;
  const problem = addressProblem(text);
  if (problem !== undefined) throw new NotRunnable(`its address ${problem}`);
}
