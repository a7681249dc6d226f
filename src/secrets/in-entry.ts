import { type FoundSecret, SCHEME, secretsInArguments, secretsInText } from "./find.ts";
import { isPlaceholder, isSecretName, knownPrefix } from "./patterns.ts";

/** The fields of a server entry that may contain secrets. */
interface EntryFields {
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly url?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly oauth?: false | Readonly<Record<string, unknown>>;
}

/** The settings of `oauth` that are secret, whatever they look like. */
const OAUTH_SECRETS = ["clientSecret", "privateKey"];

/** A plain-text secret in an entry. */
export interface Secret extends FoundSecret {
  /** The field of the entry, and the key or position in it. */
  readonly where: readonly [field: "env" | "args" | "headers" | "url" | "oauth", key: string];
}

/** The plain-text secrets of an entry; references to variables do not count. */
export function secretsInEntry(entry: EntryFields): readonly Secret[] {
  const named = (field: "env" | "headers"): readonly Secret[] =>
    Object.entries(entry[field] ?? {}).flatMap(([key, text]) =>
      secretsInText(text, key, "secret").map((found) => ({ ...found, where: [field, key] })),
    );
  return [
    ...named("env"),
    ...named("headers"),
    ...secretsInArguments(entry.args ?? []).map(({ index, ...found }): Secret => ({
      ...found,
      where: ["args", String(index)],
    })),
    ...secretsInText(entry.url ?? "", "url", "fine").map((found): Secret => ({
      ...found,
      where: ["url", ""],
    })),
    ...Object.entries(entry.oauth || {}).flatMap(([key, text]) =>
      typeof text !== "string" || !OAUTH_SECRETS.includes(key)
        ? []
        : secretsInText(text, key, "secret").map((found): Secret => ({
            ...found,
            where: ["oauth", key],
          })),
    ),
  ];
}

/** Masks a secret: enough remains to recognise it, too little to use it. */
export function mask(value: string): string {
  return `${knownPrefix(value) || (value.length >= 16 ? value.slice(0, 2) : "")}***`;
}

/** An entry with its secrets masked. */
export function maskEntry<Entry extends EntryFields>(entry: Entry): Entry {
  return replaceSecrets(entry, secretsInEntry(entry), ({ value }) => mask(value));
}

/**
 * Masks lines of a configuration file: the given values wherever they occur, the values of names
 * that suggest a secret, and text that looks like a secret.
 */
export function lineMask(values: Iterable<string> = []): (line: string) => string {
  const known = [...new Set(values)]
    .filter((value) => value.length >= 4)
    .flatMap((value) => [value, JSON.stringify(value).slice(1, -1)])
    .sort((a, b) => b.length - a.length);
  return (line) => {
    let shown = line;
    for (const value of known) shown = shown.replaceAll(value, () => mask(value));
    shown = shown.replaceAll(ASSIGNMENT, (all, name: string, between: string, value: string) => {
      const text = value.replace(/,$/, "").replaceAll(/^["']|["']$/g, "");
      if (!isSecretName(name) || isPlaceholder(text)) return all;
      const { length } = SCHEME.exec(text)?.[0] ?? "";
      const shownText = text.slice(0, length) + mask(text.slice(length));
      return name + between + value.replace(text, () => shownText);
    });
    const found = secretsInText(shown, "", "fine");
    return spliceAll(shown, found, ({ value }) => mask(value));
  };
}

/** A name and its value, except the `${NAME:-default}` that our own messages suggest. */
const ASSIGNMENT = /([\w.-]+)(["']?\s*[:=]\s*)(?!-default\})("[^"]*"|'[^']*'|\S+)/g;

/** A copy of an entry with its secrets replaced. */
export function replaceSecrets<Entry extends EntryFields>(
  entry: Entry,
  secrets: readonly Secret[],
  replacement: (secret: Secret) => string,
): Entry {
  const within = (field: Secret["where"][0], key: string, text: string): string =>
    spliceAll(
      text,
      secrets.filter(({ where }) => where[0] === field && where[1] === key),
      replacement,
    );
  const { env, headers, args, url, oauth } = entry;
  const map = (field: "env" | "headers", values: Readonly<Record<string, string>>) =>
    Object.fromEntries(Object.entries(values).map(([k, text]) => [k, within(field, k, text)]));
  return {
    ...entry,
    ...(env && { env: map("env", env) }),
    ...(headers && { headers: map("headers", headers) }),
    ...(args && { args: args.map((text, index) => within("args", String(index), text)) }),
    ...(url !== undefined && { url: within("url", "", url) }),
    ...(oauth && {
      oauth: Object.fromEntries(
        Object.entries(oauth).map(([key, value]) => [
          key,
          typeof value === "string" ? within("oauth", key, value) : value,
        ]),
      ),
    }),
  };
}

function spliceAll<Found extends FoundSecret>(
  text: string,
  secrets: readonly Found[],
  replacement: (secret: Found) => string,
): string {
  let result = text;
  for (const secret of [...secrets].sort((a, b) => b.start - a.start)) {
    result = result.slice(0, secret.start) + replacement(secret) + result.slice(secret.end);
  }
  return result;
}
