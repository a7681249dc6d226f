import { checkEnvName, isSteering } from "../names.ts";
import { type NamedTemplate, NotRunnable, type OfferInput, type Template } from "../offer.ts";
import { markedText, pathInside } from "./inside-path.ts";

/** Variables with folders that code is loaded from. A bundle may name its own. */
const CODE_FOLDERS =
  /^(?:python(?:path|home)|node_path|virtual_env|(?:ld|dyld|dyld_fallback)_library_path)$/i;

/** Refuses variables that could make code run that is not in the bundle, unless the user sets them. */
export function checkVariables(
  env: readonly NamedTemplate[],
  inputs: readonly OfferInput[],
  folder: string,
): void {
  const seen = new Set<string>();
  for (const { name, value } of env) {
    checkEnvName(name);
    if (seen.has(name.toLowerCase())) throw new NotRunnable(`it sets ${name} more than once`);
    seen.add(name.toLowerCase());
    if (!isSteering(name) || isOfUser(value, inputs)) continue;
    if (CODE_FOLDERS.test(name) && foldersIn(value, folder) !== undefined) continue;
    throw new NotRunnable(`it sets ${name}, which can make code run that is not in the bundle`);
  }
}

/** The folders of a path variable, as paths in the bundle; undefined if one is not in it. */
export function foldersIn(value: Template, folder: string): string[] | undefined {
  // In a folder on a drive, a colon is not the end of an entry.
  const separator = /^[A-Za-z]:/.test(folder) ? ";" : /[:;]/;
  const inside = markedText(value)
    .split(separator)
    .map((entry) => pathInside(entry, folder));
  return inside.every((path) => path !== undefined) ? inside : undefined;
}

/** Whether only the user decides about a value. */
function isOfUser(value: Template, inputs: readonly OfferInput[]): boolean {
  const [part, ...more] = value;
  if (part === undefined || typeof part === "string" || more.length > 0) return false;
  return inputs.some(({ name, default: preset }) => name === part.input && preset === undefined);
}
