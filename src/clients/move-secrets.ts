import type { ServerEntry } from "./canonical.ts";
import { type Secret, secretsInEntry, replaceSecrets } from "../secrets/in-entry.ts";
import { isSecretName } from "../secrets/patterns.ts";
import { SECRET_NAME } from "../secrets/store.ts";
import { variableName } from "./variables.ts";

/** A server with its name in our configuration. */
export interface NamedEntry {
  readonly name: string;
  readonly entry: ServerEntry;
}

/** A secret that became a variable. */
export interface MovedSecret {
  readonly variable: string;
  /** Never printed, and never written without asking. */
  readonly value: string;
  /** Where it is used: `github: env GITHUB_TOKEN`. */
  readonly uses: readonly string[];
}

export interface MoveOptions {
  /** Names that must not be used. */
  readonly taken?: Iterable<string>;
  /** Secrets that are stored already, by name: their names are used again for the same values. */
  readonly stored?: ReadonlyMap<string, string>;
  /** Whether a name means something else than this value where it is used. */
  readonly isShadowed?: (name: string, value: string) => boolean;
  /** How an entry refers to a variable. */
  readonly reference?: (variable: string) => string;
}

/**
 * Replaces secrets with references to variables, one variable per value: two accounts at the same
 * service get two, the same token in several places gets one.
 */
export function moveSecrets<T extends NamedEntry>(
  servers: readonly T[],
  {
    taken: known = [],
    stored = new Map(),
    isShadowed = () => false,
    reference = braces,
  }: MoveOptions = {},
): { readonly servers: readonly T[]; readonly moved: readonly MovedSecret[] } {
  const taken = new Set<string>([...known, ...stored.keys()]);
  const usable = [...stored].filter(([name, value]) => {
    // A file may have names that no configuration can refer to.
    return SECRET_NAME.test(name) && !isShadowed(name, value);
  });
  const nameOf = new Map(usable.map(([name, value]) => [value, name]));
  // Names that are referenced already have a value that is not known here.
  for (const { entry } of servers) {
    for (const [, name = ""] of JSON.stringify(entry).matchAll(/\$\{(\w+)/g)) taken.add(name);
  }
  const namedBest = new Map<string, Secret>();
  for (const secret of servers.flatMap(({ entry }) => literalsIn(entry)))
    if (!namedBest.has(secret.value) && isSecretName(secret.name))
      namedBest.set(secret.value, secret);
  const moved = new Map<string, { variable: string; uses: string[] }>();
  const variableOf = (server: string, secret: Secret): string => {
    const known = moved.get(secret.value);
    const use = `${server}: ${whereOf(secret)}`;
    if (known !== undefined) {
      known.uses.push(use);
      return known.variable;
    }
    const named = namedBest.get(secret.value) ?? secret;
    const isFree = (name: string): boolean => !taken.has(name) && !isShadowed(name, secret.value);
    const variable = nameOf.get(secret.value) ?? variableFor(server, named, isFree);
    taken.add(variable);
    moved.set(secret.value, { variable, uses: [use] });
    return variable;
  };
  const changed = servers.map((server) => {
    const entry = replaceSecrets(server.entry, literalsIn(server.entry), (secret) => {
      return reference(variableOf(server.name, secret));
    });
    return { ...server, entry };
  });
  const list = [...moved].map(([value, { variable, uses }]) => ({ variable, value, uses }));
  return { servers: changed, moved: list };
}

/** Tells the user how to set the variables. Shows no values. */
export function secretInstructions(
  moved: readonly MovedSecret[],
  platform: NodeJS.Platform = process.platform,
): string {
  if (moved.length === 0) return "";
  const set = platform === "win32" ? 'setx NAME "value"' : "export NAME='value'";
  const width = Math.max(...moved.map(({ variable }) => variable.length));
  return [
    "Secrets were replaced with variables. Set them in the environment of the workbench, for example with",
    `  ${set}`,
    'or, for a client that does not see the variables of your shell, under "env" in its entry for the workbench.',
    "The values are still in the original files:",
    ...moved.map(({ variable, uses }) => `  ${variable.padEnd(width)}  ${uses.join(", ")}`),
    "",
  ].join("\n");
}

/** The secrets as a server gets them: in an entry, `$${` is a literal `${`, and in a store nothing is expanded. */
function literalsIn(entry: ServerEntry): readonly Secret[] {
  return secretsInEntry(entry).map((secret) => ({
    ...secret,
    value: secret.value.replaceAll("$${", "${"),
  }));
}

const braces = (variable: string): string => `\${${variable}}`;

function whereOf({ where: [field, key], name }: Secret): string {
  if (field === "url") return "url";
  return field === "args" ? `argument ${name === "" ? Number(key) + 1 : name}` : `${field} ${key}`;
}

/** Names that do not identify the service. */
const VAGUE = /^(?:(?:API|ACCESS|AUTH|SECRET)_?)?(?:TOKEN|KEY|SECRET|PASSWORD|PASS|PAT|AUTH)$/;

/** A free name for the variable of a secret. */
export function variableFor(
  server: string,
  secret: Pick<Secret, "name" | "where">,
  isFree: (name: string) => boolean,
): string {
  const own = variableName(purposeOf(secret));
  const words = new Set(variableName(server).split("_"));
  const ownWords = own.split("_");
  const isFirstOfServer = words.has(ownWords[0] ?? "") && ownWords.length > 1;
  // Without the words that the server's name has already: FIGMA_API_KEY, not FIGMA_FIGMA_API_KEY.
  const first = ownWords.findIndex((word) => !words.has(word));
  const rest = first === -1 ? [] : ownWords.slice(first);
  const prefixed = variableName([server, ...rest].join("_"));
  const isPlain = isFirstOfServer || (secret.where[0] === "env" && !VAGUE.test(own));
  for (const name of isPlain ? [own, prefixed] : [prefixed]) if (isFree(name)) return name;
  for (let count = 2; ; count += 1) {
    if (isFree(`${prefixed}_${count}`)) return `${prefixed}_${count}`;
  }
}

function purposeOf({ where: [field], name }: Pick<Secret, "name" | "where">): string {
  if (/authorization/i.test(name) || name === "") return "TOKEN";
  if (field === "url" && name === "url") return "TOKEN";
  // An option such as -e says nothing about the secret in its value.
  if (field === "args" && !isSecretName(name)) return "TOKEN";
  return name.replace(/^X-/i, "");
}
