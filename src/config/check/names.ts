import { quoted, type Problem } from "../problems.ts";

/**
 * Rules for the names of toolboxes and servers. A name becomes part of tool names
 * (`{toolbox}__{server}__{tool}`), URLs, command lines and file names, so it must be safe in all
 * four, and a tool name must split again at the first two separators.
 */

export const NAME_MAX_LENGTH = 64;

/** The rules as far as a JSON Schema can express them; `nameProblem` has all of them, with reasons. */
export const NAME_PATTERN = /^(?!.*__)[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?$/;

const SPECIAL_IN_JAVASCRIPT: ReadonlySet<string> = new Set([
  ...Object.getOwnPropertyNames(Object.prototype),
  "prototype",
]);
const WINDOWS_DEVICE = /^(?:con|prn|aux|nul|com\d|lpt\d)(?:\..*)?$/i;
// oxlint-disable-next-line no-control-regex -- control characters are what this looks for
const CONTROL_CHARACTER = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/;

interface Rule {
  readonly broken: (name: string) => boolean;
  readonly reason: string;
}

/** Ordered from specific to general: the first broken rule is the one reported. */
const RULES: readonly Rule[] = [
  { broken: (name) => name === "", reason: "a name cannot be empty" },
  {
    broken: (name) => SPECIAL_IN_JAVASCRIPT.has(name),
    reason: "this name has a special meaning in JavaScript objects and is not allowed",
  },
  {
    broken: (name) => CONTROL_CHARACTER.test(name),
    reason: "a name cannot contain control characters",
  },
  {
    broken: (name) => name === "." || name === "..",
    reason: "this name refers to a folder in file names and URLs",
  },
  {
    broken: (name) => /[/\\]/.test(name),
    reason: "a name cannot contain a path separator, because it is used in URLs and file names",
  },
  {
    broken: (name) => name.includes("__"),
    reason: "a name cannot contain '__', which separates the parts of {toolbox}__{server}__{tool}",
  },
  {
    broken: (name) => name.startsWith("_") || name.endsWith("_"),
    reason:
      "a name cannot begin or end with '_', because {toolbox}__{server}__{tool} would then split in the wrong place",
  },
  {
    broken: (name) => name.length > NAME_MAX_LENGTH,
    reason: `a name cannot be longer than ${NAME_MAX_LENGTH} characters`,
  },
  {
    broken: (name) => WINDOWS_DEVICE.test(name),
    reason: "this name is reserved for a device on Windows and cannot be used in file names",
  },
  {
    broken: (name) => !NAME_PATTERN.test(name),
    reason:
      "a name consists of the letters A-Z and a-z, digits, '.', '_' and '-', and begins and ends with a letter or digit",
  },
];

/** Why a name is not allowed and what to do about it, or undefined for a valid name. */
export function nameProblem(name: string): string | undefined {
  const rule = RULES.find(({ broken }) => broken(name));
  if (rule === undefined) return undefined;
  const suggestion = suggestName(name);
  const fix =
    suggestion === undefined ? "Choose another name" : `Rename it, for example to '${suggestion}'`;
  return `${rule.reason}. ${fix}`;
}

/** Pairs of names that a file system or a person could mistake for each other. */
export function namesDifferingInCase(names: Iterable<string>): [first: string, second: string][] {
  const seen = new Map<string, string>();
  const pairs: [string, string][] = [];
  for (const name of names) {
    const folded = name.toLowerCase();
    const first = seen.get(folded);
    if (first === undefined) seen.set(folded, name);
    else pairs.push([first, name]);
  }
  return pairs;
}

/** All problems with the names of a group, each under the key it concerns. */
export function groupNameProblems(group: object): { name: string; message: string }[] {
  const problems: { name: string; message: string }[] = [];
  const names = Object.keys(group);
  for (const name of names) {
    const message = nameProblem(name);
    if (message !== undefined) problems.push({ name, message });
  }
  for (const [first, second] of namesDifferingInCase(names)) {
    const message = `${quoted(second)} and ${quoted(first)} differ only in case. Rename one of them`;
    problems.push({ name: second, message });
  }
  return problems;
}

/** Checks all toolbox and server names, in a configuration that may be invalid otherwise. */
export function nameProblems(config: unknown): Problem[] {
  const toolboxes = child(config, "toolboxes");
  if (toolboxes === undefined) return [];
  const problems: Problem[] = [];
  const report = (path: readonly string[], group: object): void => {
    for (const { name, message } of groupNameProblems(group)) {
      problems.push({ path: [...path, name], at: "key", message });
    }
  };
  report(["toolboxes"], toolboxes);
  for (const [name, toolbox] of Object.entries(toolboxes)) {
    const servers = child(toolbox, "mcpServers");
    if (servers !== undefined) report(["toolboxes", name, "mcpServers"], servers);
  }
  return problems;
}

function child(value: unknown, key: string): object | undefined {
  if (typeof value !== "object" || value === null || !Object.hasOwn(value, key)) return undefined;
  const found: unknown = Reflect.get(value, key);
  return typeof found === "object" && found !== null && !Array.isArray(found) ? found : undefined;
}

/** A valid name that resembles the given one, if enough of it remains. */
function suggestName(name: string): string | undefined {
  const candidate = name
    .slice(0, 4 * NAME_MAX_LENGTH)
    .normalize("NFKD")
    .replace(/\p{Mark}/gu, "")
    .replace(/[^A-Za-z0-9._-]+/g, "-")
    .replace(/_{2,}/g, "_")
    .slice(0, NAME_MAX_LENGTH)
    .replace(/^[^A-Za-z0-9]+|[^A-Za-z0-9]+$/g, "");
  const legal = RULES.every(({ broken }) => !broken(candidate));
  return legal && candidate !== name ? candidate : undefined;
}
