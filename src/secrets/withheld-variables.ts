import type { Environment } from "../config/canonical/expand.ts";

const MAX_NAMES = 5;
/** Words of a complaint about a setting; a name without an underscore may be an ordinary word. */
const COMPLAINT =
  /\b(?:env|environment|variables?|missing|required?|requires|set|undefined|provided?|specify)\b/i;

/**
 * The variables that a server's output names and that are set in the environment of the workbench,
 * but were not passed on to the server. `passed` are the names it was given.
 */
export function withheldVariables(
  stderrLines: readonly string[],
  environment: Environment,
  passed: Iterable<string>,
): readonly string[] {
  const known = new Set(passed);
  const found = new Set<string>();
  for (const line of stderrLines)
    for (const [name] of line.matchAll(/(?<!\w)[A-Z][A-Z\d_]{2,}(?!\w)/g))
      if (name.includes("_") || COMPLAINT.test(line)) found.add(name);
  return [...found]
    .filter((name) => Object.hasOwn(environment, name) && environment[name] && !known.has(name))
    .slice(0, MAX_NAMES);
}

/** The setting that passes variables on, ready to paste; it replaces the one that exists. */
export function inheritEnvLine(names: readonly string[], current: readonly string[] = []): string {
  return `"inheritEnv": ${JSON.stringify([...new Set([...current, ...names])]).replaceAll(",", ", ")}`;
}

/** What to tell the user about such variables; undefined if there are none. */
export function withheldAdvice(
  names: readonly string[],
  current: readonly string[] = [],
): string | undefined {
  if (names.length === 0) return undefined;
  const [is, it] = names.length === 1 ? ["is", "it"] : ["are", "them"];
  return `${names.join(", ")} ${is} set in the environment of the workbench but not passed on. If the server may have ${it}, add to its entry: ${inheritEnvLine(names, current)}`;
}
