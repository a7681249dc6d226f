import { isRemote } from "../config/is-remote.ts";
import { type FoundSecret, secretsInArguments, secretsInText } from "./find.ts";
import { isPlaceholder, isPossiblySecretName } from "./patterns.ts";
import { MIN_SECRET_CHARS } from "./redact.ts";
import { readServerEnvFile } from "./server-env-file.ts";
import type { VariableUse } from "../config/canonical/expand.ts";
import type { ServerSettings, WorkbenchSettings } from "../config/types.ts";

/** Finds the secret values of a configuration, by name and by pattern. */

const AUTH_SCHEME = /^\s*[A-Za-z][\w-]*\s+(?=\S)/;

type Add = (value: string) => void;

export function secretsInSettings(
  uses: readonly VariableUse[],
  toolboxes: WorkbenchSettings["toolboxes"],
  others: Iterable<string> = [],
): string[] {
  const found = new Set<string>();
  const names = namesIn(toolboxes);
  const add: Add = (value) => {
    for (const secret of [value.trim(), ...linesOf(value)])
      if (secret.length >= MIN_SECRET_CHARS && !names.includes(secret)) found.add(secret);
  };
  for (const value of others) add(value);
  for (const { path, name, value } of uses) {
    if (value === undefined) continue;
    const group = path.at(-2);
    const key = String(path.at(-1));
    const inHeader = path.length === 6 && group === "headers";
    const inSecretEnv = path.length === 6 && group === "env" && isPossiblySecretName(key);
    if (inHeader || inSecretEnv || isPossiblySecretName(name)) addCredential(value, add);
    addByLooks(secretsInText(value, name, "fine"), value, add);
  }
  for (const toolbox of toolboxes.values())
    for (const server of toolbox.servers.values()) addServerSecrets(server, add);
  // Longest first: replacing a shorter one first could leave the end of a longer one behind.
  return [...found].sort((a, b) => b.length - a.length);
}

/** Also in the escaped form that fits on one line. */
// oxlint-disable-next-line no-control-regex -- control characters are what this looks for
const BREAK = /(?:[\u0000-\u001f\u007f]|\\[nr])+/;
const FENCE = /^-----(?:BEGIN|END) [^-]*-----$/;

/**
 * The lines of a multi-line secret, such as a private key: servers may print them one by one, and
 * logs may replace line breaks. The header and footer are the same in every key.
 */
function linesOf(value: string): string[] {
  if (!BREAK.test(value)) return [];
  const lines = value.split(BREAK).map((line) => line.trim());
  return lines.filter((line) => !FENCE.test(line));
}

function addServerSecrets({ transport, inheritEnv }: ServerSettings, add: Add): void {
  const addAll = (values: Readonly<Record<string, string | undefined>>): void => {
    for (const [name, value] of Object.entries(values))
      if (value !== undefined) addNamed(name, withoutReferences(value), add);
  };
  if (transport.kind === "stdio") {
    addAll(transport.env);
    if (transport.envFile !== undefined) addAll(fileVariables(transport.envFile));
    const args = transport.args.map(withoutReferences);
    addByLooks(secretsInArguments(args), args.join("\n"), add);
    addOptions(args, add);
    // Inherited variables come from this process, whatever fills in the references.
    addAll(Object.fromEntries(inheritEnv.map((name) => [name, process.env[name]])));
  } else if (isRemote(transport)) {
    addAll(transport.headers);
    const { clientSecret, privateKey } = transport.oauth ?? {};
    for (const secret of [clientSecret, privateKey])
      if (secret !== undefined && !secret.includes("${")) add(secret);
    const url = withoutReferences(transport.url);
    addUrlSecrets(url, add);
    addByLooks(secretsInText(url, "url", "fine"), url, add);
  }
}

/** The name of a secret is not a secret, and messages need it. A default may be one. */
function withoutReferences(text: string): string {
  return text.replaceAll(/\$\{(?:keychain|file|command):[^}]*?(?::-([^}]*))?\}/g, "$1");
}

/** The server is not started without the file, so a missing one has no secrets to hide. */
function fileVariables(file: string): Readonly<Record<string, string>> {
  try {
    return readServerEnvFile(file);
  } catch {
    return {};
  }
}

function addNamed(name: string, value: string, add: Add): void {
  // A value that still contains a reference is not the final value.
  if (isPossiblySecretName(name) && !value.includes("${")) addCredential(value, add);
  addByLooks(secretsInText(value, name, "secret"), value, add);
}

/** Secrets recognised in a text, and those encoded in it. */
function addByLooks(found: readonly FoundSecret[], text: string, add: Add): void {
  for (const { value } of found) {
    add(value);
    if (value.includes("%")) add(percentDecoded(value));
  }
  addAssigned(text, add);
  // A long name in front of a host is a key; people's names have no digits, or are shorter.
  for (const [, user = ""] of text.matchAll(/:\/\/(?=[^\s/@:]*\d)([^\s/@:]{16,}):?@/g)) add(user);
  for (const [, credentials = ""] of text.matchAll(/\bbasic\s+([\w+/-]{8,}=*)/gi)) {
    const [, password] = /^[^:]*:(.*)$/s.exec(Buffer.from(credentials, "base64").toString()) ?? [];
    if (password === undefined) continue;
    add(credentials);
    add(password);
  }
}

const ASSIGNED =
  /(?<![\w.-])([\w.-]+)["']?\s*[:=]\s*(?!\/\/)(?:"([^"]*)"|'([^']*)'|(?:(?:bearer|basic|token)\s+)?([^\s"';&,{}]+))/gi;

/** Secrets by their name within a text: `Password=…;` in a connection string, a key in JSON. */
function addAssigned(text: string, add: Add): void {
  for (const [, name = "", ...values] of text.matchAll(ASSIGNED)) {
    const value = values.find((found) => found !== undefined) ?? "";
    if (isPossiblySecretName(name) && !isPlaceholder(value)) addCredential(value, add);
  }
}

/** The values of options with suggestive names, and the password of `--user name:password`. */
function addOptions(args: readonly string[], add: Add): void {
  for (const [index, word] of args.entries()) {
    const [, option = "", value = args[index + 1] ?? ""] =
      /^--?([a-z][\w-]*)(?:=(.*))?$/is.exec(word) ?? [];
    if (option === "" || isPlaceholder(value) || value.startsWith("-")) continue;
    if (isPossiblySecretName(option)) addCredential(value, add);
    const [, password] = /^[^\s:/]+:([^\s/].*)$/s.exec(value) ?? [];
    if (
      password !== undefined &&
      /^(?:u|user|login|auth|basic-auth|creds|credentials)$/i.test(option)
    )
      add(password);
  }
}

function percentDecoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/**
 * Messages identify a server by its name. A password that is part of the name cannot be hidden: the
 * gap would reveal it.
 */
function namesIn(toolboxes: WorkbenchSettings["toolboxes"]): string {
  const names = Array.from(toolboxes.values(), (box) => [box.name, ...box.servers.keys()]);
  return names.flat().join("\n");
}

/** The value and, if it looks like `Bearer abc`, the secret part of it. */
function addCredential(value: string, add: Add): void {
  const credential = value.replace(AUTH_SCHEME, "");
  add(credential);
  if (credential === value || /\s/.test(credential.trim())) add(value);
}

function addUrlSecrets(url: string, add: Add): void {
  if (!url.includes("?") || !URL.canParse(url)) return;
  for (const [key, value] of new URL(url).searchParams) {
    // A value that still contains a reference is not the final value.
    if (isPossiblySecretName(key) && !value.includes("${")) add(value);
  }
}
