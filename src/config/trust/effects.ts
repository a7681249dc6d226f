import { workbenchError } from "../../errors.ts";
import { shellWords } from "../../text/shell-words.ts";
import { lettersOutsideAscii, visible } from "../../text/visible.ts";
import { SECRETS_FILE_NAME } from "../../secrets/secrets-file.ts";
import * as secretSyntax from "../canonical/secret-syntax.ts";
import { expand, type WrittenSecret } from "../canonical/expand.ts";
import * as signIns from "../canonical/foreign-sign-in.ts";
import { normalise } from "../canonical/normalise.ts";
import { readPlainJson } from "../canonical/plain-json.ts";
import { renderProblems } from "../problems.ts";

/**
 * What a configuration would do, determined without doing any of it: no variable is expanded, and
 * references to variables are shown as they are written. It is read by the same steps as a
 * configuration in use, so that nothing can hide in the difference.
 */
export interface Effects {
  readonly servers: readonly ServerEffects[];
  /** Every environment variable that it refers to or passes on. */
  readonly variables: readonly string[];
  /** The files that it reads variables from: those it names, or `secrets.env`. */
  readonly envFiles: readonly string[];
  /** The programs that it runs to get secrets: name, program and arguments. */
  readonly secretCommands: readonly (readonly [name: string, command: readonly string[]])[];
  /** The files that servers get as secrets. */
  readonly secretFiles: readonly string[];
  /** The secrets of the keychain that servers get. */
  readonly keychain: readonly string[];
  readonly logFile: string | undefined;
  /** Where `registry` and `add` look for servers, and the token that is sent there. */
  readonly registry?: { readonly url: string; readonly token?: string };
  /** Whose users could use the workbench over HTTP, as JSON. */
  readonly users?: string;
  /** Where browsers of users would be sent who sign in to servers. */
  readonly publicUrl?: string;
  /** The Redis over which it would share sessions, and the address it would give there. */
  readonly cluster?: readonly [redis: string, advertise: string];
}

export interface ServerEffects {
  readonly toolbox: string;
  readonly server: string;
  readonly disabled: boolean;
  /** The program and its arguments. */
  readonly command?: readonly string[];
  readonly url?: string;
  /** A folder whose scripts would be tools. */
  readonly scripts?: string;
  readonly cwd?: string;
  /** A file with variables for the program. */
  readonly envFile?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  /** How it would sign in, as JSON. */
  readonly oauth?: string;
  /** What limits the program, as JSON. */
  readonly sandbox?: string;
}

/** A user cannot review more than this, and scanning it must stay fast. */
const MAX_CHARS = 256 * 1024;

const MAX_PROBLEMS = 20;

/** Throws CONFIG_INVALID for a text that cannot be parsed: what it would do cannot be shown. */
export async function effectsOf(file: string, text: string): Promise<Effects> {
  if (text.length > MAX_CHARS) {
    const problem = `is larger than ${MAX_CHARS / 1024} KB, which is too much to look through and trust. If you know what it does, name it with --config`;
    throw workbenchError("CONFIG_INVALID", { file, problems: [problem] });
  }
  const config = normalise(await documentOf(file, text), signIns).value;
  const servers = entries(member(config, "toolboxes")).flatMap(([toolbox, box]) =>
    entries(member(box, "mcpServers")).map(([server, entry]) =>
      serverEffects(toolbox, server, entry),
    ),
  );
  const inherited = [config, ...serverEntries(config)].flatMap((at) => member(at, "inheritEnv"));
  const logFile = member(member(config, "log"), "file");
  const envFiles = member(config, "envFiles");
  const commands = entries(member(config, "secretCommands"));
  // `expand` replaces texts in place.
  const written = structuredClone(member(config, "registry"));
  const users = member(member(config, "http"), "oauth");
  const publicUrl = member(member(config, "http"), "publicUrl");
  const cluster = structuredClone(member(config, "cluster"));
  const usersText = users === undefined ? undefined : textOf(users);
  const expanded = expand(config, {}, undefined, secretSyntax);
  const named = expanded.uses.map(({ name }) => name);
  const secretsOf = (kind: WrittenSecret["kind"]): string[] => {
    const all = expanded.secrets.flatMap(({ parts }) => parts);
    const names = all.flatMap((part) =>
      typeof part !== "string" && part.kind === kind ? [part.name] : [],
    );
    return [...new Set(names)].sort();
  };
  return {
    servers,
    variables: [...new Set([...named, ...inherited.filter(isText)])].sort(),
    envFiles: Array.isArray(envFiles)
      ? envFiles.map(textOf)
      : named.length > 0
        ? [SECRETS_FILE_NAME]
        : [],
    secretCommands: commands.map(([name, entry]) => [name, wordsOf(member(entry, "command"))]),
    secretFiles: secretsOf("file"),
    keychain: secretsOf("keychain"),
    logFile: isText(logFile) ? logFile : undefined,
    ...registryEffects(written),
    ...(usersText !== undefined && { users: usersText }),
    ...(publicUrl !== undefined && { publicUrl: textOf(publicUrl) }),
    ...(cluster !== undefined && {
      cluster: [textOf(member(cluster, "redis")), textOf(member(cluster, "advertise"))] as const,
    }),
  };
}

/** The effects in words, to follow "It would:"; exact to the character and safe to print. */
export function effectLines(effects: Effects): string[] {
  const { servers, variables, envFiles, logFile, registry, users, publicUrl, cluster } = effects;
  // The servers come last, because a long list may be cut off.
  return [
    ...secretLines(effects),
    ...(variables.length > 0 ? [variablesLine(variables, envFiles)] : []),
    ...(logFile === undefined ? [] : [`write its log to ${visible(logFile)}`]),
    ...(registry === undefined ? [] : registryLines(registry)),
    ...(users === undefined ? [] : usersLines(users)),
    ...(publicUrl === undefined
      ? []
      : [`send browsers of users who sign in to servers to ${visible(publicUrl)}`]),
    ...(cluster === undefined ? [] : clusterLines(...cluster)),
    ...(servers.length === 0
      ? ["start nothing: it has no servers"]
      : servers.flatMap(serverEffectLines)),
  ];
}

/** What one server would run or connect to, in words. */
export function serverEffectLines(effects: ServerEffects): string[] {
  const {
    toolbox,
    server,
    disabled,
    command,
    url,
    scripts,
    cwd,
    envFile,
    env = {},
    headers = {},
    oauth,
    sandbox,
  } = effects;
  const name = visible(toolbox === "" ? server : `${toolbox}/${server}`);
  const off = disabled ? " (disabled)" : "";
  const what = [
    ...(command === undefined ? [] : [`start ${name}${off}: ${shellWords(command)}`]),
    ...(url === undefined ? [] : [`connect ${name}${off} to ${url}`]),
    ...(scripts === undefined
      ? []
      : [`run ${name}${off}: the scripts in ${scripts}, which call your tools`]),
  ];
  const how = [
    ...(cwd === undefined ? [] : [`in the folder ${cwd}`]),
    ...(envFile === undefined ? [] : [`with the variables in ${envFile}`]),
    ...Object.entries(env).map(([key, value]) => `with ${shellWords([`${key}=${value}`])}`),
    ...Object.entries(headers).map(([key, value]) => `with the header ${key}: ${value}`),
    ...(oauth === undefined ? [] : [`with the sign-in ${oauth}`]),
    ...(sandbox === undefined ? [] : [`in the sandbox ${sandbox}`]),
  ];
  return [
    ...(what.length === 0
      ? [`fail at ${name}${off}, which has neither a command, a url nor scripts`]
      : []),
    ...what.flatMap((line) => [visible(line), ...warningsFor(line)]),
    ...how.flatMap((line) => [`  ${visible(line)}`, ...warningsFor(line)]),
  ];
}

function secretLines({ secretCommands, secretFiles, keychain }: Effects): string[] {
  const lines = [
    ...secretCommands.map(([name, words]) => `run for the secret ${name}: ${shellWords(words)}`),
    ...secretFiles.map((file) => `give the content of the file ${file} to a server`),
    ...keychain.map((name) => `give ${name} from your keychain to a server`),
  ];
  return lines.flatMap((line) => [visible(line), ...warningsFor(line)]);
}

function registryEffects(written: unknown): Pick<Effects, "registry"> {
  if (written === undefined) return {};
  const token = member(written, "token");
  return {
    registry: {
      url: textOf(member(written, "url")),
      ...(token !== undefined && { token: textOf(token) }),
    },
  };
}

function registryLines({ url, token }: NonNullable<Effects["registry"]>): string[] {
  const sent = token === undefined ? "" : ` and send it ${token}`;
  const line = `look for servers in the registry ${url}${sent}`;
  return [visible(line), ...warningsFor(line)];
}

function usersLines(users: string): string[] {
  const line = `let users of an identity provider use it over HTTP: ${users}`;
  return [visible(line), ...warningsFor(line)];
}

function clusterLines(redis: string, advertise: string): string[] {
  const line = `share clients over HTTP with other workbenches through ${redis}, as ${advertise}`;
  return [visible(line), ...warningsFor(line)];
}

function variablesLine(variables: readonly string[], envFiles: readonly string[]): string {
  const names = `read the variables ${variables.map(visible).join(", ")}`;
  const files = envFiles.map(visible).join(", ");
  return files === "" ? names : `${names} (from ${files} or the environment)`;
}

/** A package name that only looks like a well-known one is a common attack. */
function warningsFor(line: string): string[] {
  const letters = lettersOutsideAscii(line).map((letter) => {
    const code = (letter.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0");
    return `${visible(letter)} (U+${code})`;
  });
  return letters.length === 0 ? [] : [`  ! this has letters outside ASCII: ${letters.join(", ")}`];
}

async function documentOf(file: string, text: string): Promise<unknown> {
  const plain = readPlainJson(text);
  if (plain !== undefined) return plain.value;
  const { readDocument } = await import("../canonical/syntax.ts");
  const { value, problems, locate } = readDocument(text);
  if (value !== undefined && problems.length === 0) return value.root;
  const shown = renderProblems(problems.slice(0, MAX_PROBLEMS), locate).map(visible);
  throw workbenchError("CONFIG_INVALID", { file, problems: shown });
}

function serverEffects(toolbox: string, server: string, entry: unknown): ServerEffects {
  const command = member(entry, "command");
  const args = wordsOf(member(entry, "args") ?? []);
  // A wrapper is a program that runs, too.
  const wrapper = wordsOf(member(member(entry, "sandbox"), "command") ?? []);
  const [url, scripts, cwd, envFile] = ["url", "scripts", "cwd", "envFile"].map((key) =>
    member(entry, key),
  );
  const [oauth, sandbox] = [member(entry, "oauth"), member(entry, "sandbox")];
  const [env, headers] = [entries(member(entry, "env")), entries(member(entry, "headers"))];
  return {
    toolbox,
    server,
    disabled: member(entry, "disabled") === true,
    ...(command !== undefined && {
      command: [...wrapper, textOf(command), ...args],
    }),
    ...(url !== undefined && { url: textOf(url) }),
    ...(scripts !== undefined && { scripts: textOf(scripts) }),
    ...(cwd !== undefined && { cwd: textOf(cwd) }),
    ...(envFile !== undefined && { envFile: textOf(envFile) }),
    ...(env.length > 0 && { env: texts(env) }),
    ...(headers.length > 0 && { headers: texts(headers) }),
    ...(oauth !== undefined && oauth !== false && { oauth: textOf(oauth) }),
    ...(sandbox !== undefined && { sandbox: textOf(sandbox) }),
  };
}

function serverEntries(config: unknown): unknown[] {
  return entries(member(config, "toolboxes")).flatMap(([, box]) =>
    entries(member(box, "mcpServers")).map(([, entry]) => entry),
  );
}

function member(value: unknown, key: string): unknown {
  const isObject = typeof value === "object" && value !== null && Object.hasOwn(value, key);
  return isObject ? (value as Readonly<Record<string, unknown>>)[key] : undefined;
}

function entries(value: unknown): [string, unknown][] {
  return typeof value === "object" && value !== null ? Object.entries(value) : [];
}

const wordsOf = (value: unknown): string[] =>
  (Array.isArray(value) ? (value as unknown[]) : [value]).map(textOf);

const texts = (pairs: readonly [string, unknown][]): Record<string, string> =>
  Object.fromEntries(pairs.map(([key, value]) => [key, textOf(value)]));

const isText = (value: unknown): value is string => typeof value === "string";

/** Anything but a string is rejected when the configuration is used, but is shown here anyway. */
const textOf = (value: unknown): string =>
  isText(value) ? value : (JSON.stringify(value) ?? "undefined");
