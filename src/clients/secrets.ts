import type { ServerEntry } from "./canonical.ts";
import { isNoSecret, isSecretName, knownPrefix, randomIn, tokensIn } from "./secret-patterns.ts";
import type { Range } from "./secret-patterns.ts";

/** A literal secret in an entry. */
export interface Secret {
  /** The field: `env`, `args`, `headers` or `url`, and the key or position in it. */
  readonly where: readonly [field: "env" | "args" | "headers" | "url", key: string];
  readonly start: number;
  readonly end: number;
  readonly value: string;
  /** What it goes by in its place, such as `GITHUB_TOKEN`, `--api-key` or `password`. */
  readonly name: string;
}

/** The literal secrets of an entry; references to variables are none. */
export function findSecrets(entry: ServerEntry): readonly Secret[] {
  return [
    ...Object.entries(entry.env ?? {}).flatMap(([key, text]) =>
      inText(["env", key], text, key, "secret"),
    ),
    ...Object.entries(entry.headers ?? {}).flatMap(([key, text]) =>
      inText(["headers", key], text, key, "secret"),
    ),
    ...inArguments(entry.args ?? []),
    ...(entry.url === undefined ? [] : inText(["url", ""], entry.url, "url", "fine")),
  ];
}

/** A secret as it may be shown: enough to recognise it by, too little to use it. */
export function mask(value: string): string {
  return `${knownPrefix(value) || (value.length >= 16 ? value.slice(0, 2) : "")}***`;
}

/** An entry as it may be shown. */
export function maskEntry(entry: ServerEntry): ServerEntry {
  return replaceSecrets(entry, findSecrets(entry), ({ value }) => mask(value));
}

/**
 * Masks lines of a configuration file: the given values wherever they occur, the values of names
 * that sound secret, and what looks like a secret by itself.
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
      if (!isSecretName(name) || isNoSecret(text)) return all;
      const { length } = SCHEME.exec(text)?.[0] ?? "";
      const shownText = text.slice(0, length) + mask(text.slice(length));
      return name + between + value.replace(text, () => shownText);
    });
    const found = inText(["env", ""], shown, "", "fine");
    return spliceAll(shown, found, ({ value }) => mask(value));
  };
}

/** What an Authorization header says before the secret. */
const SCHEME = /^(?:bearer|basic|token|apikey|api-key)\s+/i;

/** A name and its value; `${NAME:-default}` is what we advise people to write. */
const ASSIGNMENT = /([\w.-]+)(["']?\s*[:=]\s*)(?!-default\})("[^"]*"|'[^']*'|\S+)/g;

/** A copy of an entry with its secrets replaced. */
export function replaceSecrets(
  entry: ServerEntry,
  secrets: readonly Secret[],
  replacement: (secret: Secret) => string,
): ServerEntry {
  const within = (field: Secret["where"][0], key: string, text: string): string =>
    spliceAll(
      text,
      secrets.filter(({ where }) => where[0] === field && where[1] === key),
      replacement,
    );
  const { env, headers, args, url } = entry;
  const map = (field: "env" | "headers", values: Readonly<Record<string, string>>) =>
    Object.fromEntries(Object.entries(values).map(([k, text]) => [k, within(field, k, text)]));
  return {
    ...entry,
    ...(env && { env: map("env", env) }),
    ...(headers && { headers: map("headers", headers) }),
    ...(args && { args: args.map((text, index) => within("args", String(index), text)) }),
    ...(url !== undefined && { url: within("url", "", url) }),
  };
}

// --- internal ---

function spliceAll(
  text: string,
  secrets: readonly Secret[],
  replacement: (secret: Secret) => string,
): string {
  let result = text;
  for (const secret of [...secrets].sort((a, b) => b.start - a.start)) {
    result = result.slice(0, secret.start) + replacement(secret) + result.slice(secret.end);
  }
  return result;
}

type Where = Secret["where"];

/** Secrets in one text that goes by a name. */
function inText(where: Where, text: string, name: string, digests: "secret" | "fine"): Secret[] {
  const found: Secret[] = [];
  const add = ({ start, end }: Range, called: string): void => {
    const value = text.slice(start, end);
    if (value.includes("${") || found.some((other) => start < other.end && other.start < end))
      return;
    found.push({ where, start, end, value, name: called });
  };
  if (isSecretName(name)) {
    const start = SCHEME.exec(text)?.[0].length ?? 0;
    if (!isNoSecret(text.slice(start))) add({ start, end: text.length }, name);
  }
  for (const match of text.matchAll(/:\/\/[^\s/@:]*:([^\s/@]+)@/g)) {
    const end = match.index + match[0].length - 1;
    add({ start: end - (match[1]?.length ?? 0), end }, "password");
  }
  for (const match of text.matchAll(/[?&]([\w.-]+)=([^\s&#"']+)/g)) {
    const [all, key = "", value = ""] = match;
    const end = match.index + all.length;
    if (isSecretName(key) && !isNoSecret(value)) add({ start: end - value.length, end }, key);
  }
  for (const range of tokensIn(text)) add(range, name);
  for (const range of randomIn(text, { digests })) add(range, name);
  return found;
}

const OPTION = /^(--?[A-Za-z][\w-]*)(?:=(.*))?$/s;
const ASSIGNED = /^([A-Za-z_]\w*)=(.*)$/s;
const HEADER = /^([A-Za-z][\w-]*):\s*(?!\/\/)(.*)$/s;

function inArguments(args: readonly string[]): readonly Secret[] {
  return args.flatMap((text, index) => {
    const where: Where = ["args", String(index)];
    const [, name, value] =
      OPTION.exec(text) ?? ASSIGNED.exec(text) ?? HEADER.exec(text) ?? ([] as string[]);
    if (name !== undefined && value !== undefined) {
      const offset = text.length - value.length;
      return inText(where, value, name, "fine").map((secret) => ({
        ...secret,
        start: secret.start + offset,
        end: secret.end + offset,
      }));
    }
    const before = args[index - 1] ?? "";
    const option = OPTION.exec(before);
    const named = option?.[2] === undefined && !text.startsWith("-") ? option?.[1] : undefined;
    return inText(where, text, named ?? "", "fine");
  });
}
