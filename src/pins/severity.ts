import { isObject, parseJson } from "../text/json.ts";
import { hiddenCharacters } from "./scan/hidden-characters.ts";
import { phraseSignals } from "./scan/phrases.ts";
import { textsIn } from "./scan/scan.ts";
import { shortList } from "../text/short-list.ts";

/** `severe`: may be an attack; `review`: read it; `cosmetic`: never blocked. */
export type Severity = "severe" | "review" | "cosmetic";

/** Why a change is severe; empty if it is not. */
export function severeReasons(before: string | undefined, after: string): string[] {
  const [old, now] = [before === undefined ? undefined : parseJson(before), parseJson(after)];
  return [
    ...textReasons(textOf(old), textOf(now), before !== undefined),
    ...(old === undefined ? [] : [...hintReasons(old, now), ...fieldReasons(old, now)]),
  ];
}

function textOf(value: unknown): string {
  return textsIn(value).join("\n");
}

/** Something that text can point to: addresses, hosts, files. */
const POINTERS: readonly (readonly [kind: string, pattern: RegExp])[] = [
  ["URL", /\bhttps?:\/\/[^\s"'`<>)\]}]*[^\s"'`<>)\]}.,;:!?]/gi],
  ["e-mail address", /\b[\w.+-]+@[\w-]+(?:\.[\w-]+)+\b/g],
  [
    "host",
    /\b(?:[a-z0-9-]+\.)+(?:com|net|org|io|dev|app|ai|co|sh|me|xyz|info|site|online|cloud|ru|cn|tk)\b/gi,
  ],
  ["IP address", /\b\d{1,3}(?:\.\d{1,3}){3}\b/g],
  ["path", /(?:^|[\s"'`(=])((?:~|\$HOME|[A-Z]:\\|\.{0,2}\/)[\w.$~\\/-]*\w)/g],
];
const MAX_NAMED = 3;

/** What is new in the text and concerns the model or points elsewhere. */
function textReasons(before: string, after: string, isKnown: boolean): string[] {
  const reasons: string[] = [];
  const had = new Set<string>([...hiddenCharacters(before), ...phraseSignals([before])]);
  for (const kind of hiddenCharacters(after)) if (!had.has(kind)) reasons.push(`contains ${kind}`);
  for (const signal of phraseSignals([after])) if (!had.has(signal)) reasons.push(signal);
  if (!isKnown) return reasons;
  const seen = new Set<string>();
  for (const [kind, pattern] of POINTERS) {
    const known = new Set(before.match(pattern));
    const added = [...new Set(after.match(pattern))].filter((found) => !known.has(found));
    // A host inside a new URL is not another change.
    const others = added.filter(
      (found) => ![...seen].some((longer) => longer.includes(found.trim())),
    );
    for (const found of others) seen.add(found.trim());
    if (others.length > 0)
      reasons.push(
        `new ${kind}: ${shortList(
          others.map((found) => found.trim()),
          MAX_NAMED,
        )}`,
      );
  }
  return reasons;
}

/** The values of hints that mean danger; they are also what a missing hint means. */
const DANGEROUS: Readonly<Record<string, boolean>> = {
  readOnlyHint: false,
  destructiveHint: true,
  idempotentHint: false,
  openWorldHint: true,
};

/** Hints that now call the tool less dangerous than before. */
function hintReasons(before: unknown, after: unknown): string[] {
  const hintsOf = (value: unknown): Readonly<Record<string, unknown>> => {
    const annotations = isObject(value) ? value["annotations"] : undefined;
    return isObject(annotations) ? annotations : {};
  };
  const [old, now] = [hintsOf(before), hintsOf(after)];
  return Object.entries(DANGEROUS).flatMap(([hint, danger]) => {
    const wasDangerous = (old[hint] ?? danger) === danger;
    const isHarmless = (now[hint] ?? danger) !== danger;
    return wasDangerous && isHarmless
      ? [`${hint} is now ${String(now[hint])}: the tool claims to be less dangerous`]
      : [];
  });
}

interface Fields {
  readonly properties: Readonly<Record<string, unknown>>;
  readonly required: ReadonlySet<unknown>;
}

/** New fields that a model has to fill, or can fill with any text: both can carry data out. */
function fieldReasons(before: unknown, after: unknown): string[] {
  const [old, now] = [fieldsOf(before), fieldsOf(after)];
  const reasons: string[] = [];
  for (const [name, schema] of Object.entries(now.properties)) {
    const isNew = !Object.hasOwn(old.properties, name);
    if (now.required.has(name) && !old.required.has(name))
      reasons.push(isNew ? `new required parameter '${name}'` : `'${name}' is now required`);
    else if (isNew && takesText(schema)) reasons.push(`new parameter '${name}' takes any text`);
    else if (!isNew && takesText(schema) && !takesText(old.properties[name]))
      reasons.push(`parameter '${name}' now takes any text`);
  }
  return reasons;
}

function fieldsOf(value: unknown): Fields {
  const tool = isObject(value) ? value : {};
  if (Array.isArray(tool["arguments"])) return promptFields(tool["arguments"]);
  const schema = isObject(tool["inputSchema"]) ? tool["inputSchema"] : {};
  const properties = isObject(schema["properties"]) ? schema["properties"] : {};
  const required = Array.isArray(schema["required"]) ? schema["required"] : [];
  return { properties, required: new Set<unknown>(required) };
}

/** The user fills in the arguments of a prompt, so only required ones count. */
function promptFields(list: readonly unknown[]): Fields {
  const known = list.filter(isObject);
  const nameOf = (argument: Readonly<Record<string, unknown>>): string => String(argument["name"]);
  return {
    properties: Object.fromEntries(known.map((one) => [nameOf(one), { type: "boolean" }])),
    required: new Set(known.filter((one) => one["required"] === true).map(nameOf)),
  };
}

/** Whether a schema accepts any text; one that cannot be judged does. */
function takesText(schema: unknown): boolean {
  if (schema === true) return true;
  if (!isObject(schema)) return false;
  if ("enum" in schema || "const" in schema) return false;
  const { type, anyOf, oneOf, items } = schema;
  for (const choices of [anyOf, oneOf]) if (Array.isArray(choices)) return choices.some(takesText);
  const types: readonly unknown[] = Array.isArray(type) ? type : [type];
  if (types.includes("array")) return items === undefined || takesText(items);
  return types.some((one) => one === undefined || one === "string" || one === "object");
}
