import { isScript, valuesInScript } from "./in-script.ts";
import {
  hasReference,
  isPlaceholder,
  isSecretName,
  type Range,
  randomIn,
  tokensIn,
} from "./patterns.ts";
import { secretUrlsIn } from "./secret-urls.ts";

/** Something in a text that is a secret by its name or by how it looks. */
export interface FoundSecret extends Range {
  readonly value: string;
  /** The name it has there, such as `GITHUB_TOKEN`, `--api-key` or `password`. */
  readonly name: string;
}

/** The scheme in front of the secret in an Authorization header. */
export const SCHEME = /^(?:bearer|basic|token|apikey|api-key)\s+/i;

/** Secrets in one text that has a name. */
export function secretsInText(
  text: string,
  name: string,
  digests: "secret" | "fine",
): readonly FoundSecret[] {
  const found: FoundSecret[] = [];
  const add = ({ start, end }: Range, called: string): void => {
    const value = text.slice(start, end);
    const isKnown = found.some((other) => start < other.end && other.start < end);
    if (isKnown || hasReference(value)) return;
    found.push({ start, end, value, name: called });
  };
  if (isSecretName(name)) {
    const start = SCHEME.exec(text)?.[0].length ?? 0;
    if (!isPlaceholder(text.slice(start))) add({ start, end: text.length }, name);
  }
  for (const match of text.matchAll(/:\/\/[^\s/@:]*:([^\s/?#]+|[^\s/@]+)@/g)) {
    const end = match.index + match[0].length - 1;
    add({ start: end - (match[1]?.length ?? 0), end }, "password");
  }
  for (const match of text.matchAll(/[?&]([\w.-]+)=([^\s&#"']+)/g)) {
    const [all, key = "", value = ""] = match;
    const end = match.index + all.length;
    if (isSecretName(key) && !isPlaceholder(value)) add({ start: end - value.length, end }, key);
  }
  for (const range of secretUrlsIn(text, name)) add(range, name);
  for (const range of tokensIn(text)) add(range, name);
  for (const range of randomIn(text, { digests })) add(range, name);
  return found;
}

const OPTION = /^(--?[A-Za-z][\w-]*)(?:=(.*))?$/s;
const ASSIGNED = /^([A-Za-z_]\w*)=(.*)$/s;
const HEADER = /^([A-Za-z][\w-]*):\s*(?!\/\/)(.*)$/s;

/** Secrets on a command line, with the position of the word. */
export function secretsInArguments(
  args: readonly string[],
): readonly (FoundSecret & { readonly index: number })[] {
  return args.flatMap((text, index) => {
    if (isScript(text, args[index - 1] ?? ""))
      return valuesInScript(text).flatMap(({ name, value, start }) =>
        secretsInText(value, name, "fine").map((found) => moved({ ...found, index }, start)),
      );
    const [, name, value] =
      OPTION.exec(text) ?? ASSIGNED.exec(text) ?? HEADER.exec(text) ?? ([] as string[]);
    if (name !== undefined && value !== undefined) {
      const offset = text.length - value.length;
      return secretsInText(value, name, "fine").map((found) => moved({ ...found, index }, offset));
    }
    const before = args[index - 1] ?? "";
    const option = OPTION.exec(before);
    const isValue = option?.[2] === undefined && !text.startsWith("-");
    const named = isValue && before === "-p" ? shortP(args, index) : isValue && option?.[1];
    return secretsInText(text, named || "", "fine").map((secret) => ({ ...secret, index }));
  });
}

/** A finding in a part of a text, as one in the whole text. */
function moved<Found extends Range>(found: Found, offset: number): Found {
  return { ...found, start: found.start + offset, end: found.end + offset };
}

/**
 * `-p` is a password for some programs, and a port, a package or a project for others. It counts as
 * a password after a user name, or if its value looks like one. The options before the first other
 * word belong to a program such as `npx`, where it names a package.
 */
function shortP(args: readonly string[], index: number): "password" | undefined {
  const before = args.slice(0, index - 1);
  const value = args[index] ?? "";
  if (!/[A-Za-z]/.test(value) || /^@|[\w)]@\d/.test(value)) return undefined;
  if (before.some((word) => /^(?:-u|-U|--user(?:name)?)(?:=|$)/.test(word))) return "password";
  const isOfRunner = before.every((word) => word.startsWith("-"));
  const isMixed = /\d/.test(value) || /[^\w./:@-]/.test(value);
  return !isOfRunner && isMixed && value.length >= 6 ? "password" : undefined;
}
