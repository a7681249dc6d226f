import { isAbsolute, join } from "node:path";

import { isObject } from "../text/json.ts";
import { type OAuthEntry, signInEntry } from "./sign-in-entry.ts";
import { type VariableContext, translateVariables } from "./variables.ts";

/** One server in the form of our configuration. */
export interface ServerEntry {
  readonly command?: string;
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly envFile?: string;
  /** Names of variables that the server inherits from the workbench. */
  readonly inheritEnv?: readonly string[];
  readonly cwd?: string;
  readonly type?: "http" | "sse";
  readonly url?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly oauth?: OAuthEntry;
  readonly toolFilters?: readonly string[];
}

export interface Canonical {
  /** Undefined when the entry has neither a command nor a URL. */
  readonly entry: ServerEntry | undefined;
  readonly disabled: boolean;
  readonly notes: readonly string[];
  readonly problems: readonly string[];
}

/**
 * Reads an entry in any of the spellings that clients use. The aliases are common to all clients,
 * because people copy entries from one into another.
 */
export function canonicalEntry(given: unknown, context: VariableContext): Canonical {
  const notes = new Set<string>();
  const problems = new Set<string>();
  if (!isObject(given)) {
    return { entry: undefined, disabled: false, notes: [], problems: ["it is not an object"] };
  }
  const raw = withoutTransportObject(given);
  const text = (value: unknown): string => {
    const translated = translateVariables(String(value), context);
    for (const note of translated.notes) notes.add(note);
    for (const problem of translated.problems) problems.add(problem);
    return translated.text;
  };
  const target = urlOf(raw);
  const program = programOf(raw);
  let entry: ServerEntry | undefined;
  if (program !== undefined) {
    const env = { ...passedOn(raw), ...textMap(first(raw, ["env", "environment", "envs"]), text) };
    entry = {
      command: text(program.command),
      ...(program.args.length > 0 && { args: program.args.map(text) }),
      ...(Object.keys(env).length > 0 && { env }),
      ...envFileOf(raw, (path) => fromProject(text(path), context.project, problems)),
      ...folderOf(raw["cwd"], [program.command, ...program.args], context.project, text),
    };
  } else if (target !== undefined) {
    const headers = {
      ...textMap(first(raw, ["headers", "http_headers"]) ?? requestHeaders(raw), text),
      ...secretHeaders(raw),
    };
    const type = remoteType(raw);
    const oauth = signInEntry(raw, text, (problem) => notes.add(problem));
    entry = {
      ...(type !== undefined && { type }),
      url: text(target),
      ...(Object.keys(headers).length > 0 && { headers }),
      ...(oauth !== undefined && { oauth }),
    };
  } else {
    problems.add("it has neither a command nor a url");
  }
  const toolFilters = filtersOf(raw);
  return {
    entry: entry && toolFilters.length > 0 ? { ...entry, toolFilters } : entry,
    disabled: raw["disabled"] === true || raw["enabled"] === false,
    notes: [...notes],
    problems: [...problems],
  };
}

type Raw = Readonly<Record<string, unknown>>;

/** Some clients nest everything about the connection in an object under `transport`. */
function withoutTransportObject(raw: Raw): Raw {
  const { transport, ...rest } = raw;
  return isObject(transport) ? { ...rest, ...transport } : raw;
}

function requestHeaders({ requestOptions }: Raw): unknown {
  return isObject(requestOptions) ? requestOptions["headers"] : undefined;
}

function first(raw: Raw, names: readonly string[]): unknown {
  return names.map((name) => raw[name]).find((value) => value !== undefined && value !== null);
}

function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function urlOf(raw: Raw): string | undefined {
  const url = first(raw, ["url", "serverUrl", "httpUrl", "uri", "baseUrl"]);
  return typeof url === "string" && url !== "" ? url : undefined;
}

/** The command may be a string, a list with its arguments, or an object with a path. */
function programOf(raw: Raw): { command: unknown; args: readonly unknown[] } | undefined {
  const command = first(raw, ["command", "cmd"]);
  if (typeof command === "string" && command !== "") return { command, args: list(raw["args"]) };
  if (Array.isArray(command) && command.length > 0) {
    return { command: command[0], args: [...command.slice(1), ...list(raw["args"])] };
  }
  if (isObject(command)) return programOf({ ...command, command: command["path"] });
  return undefined;
}

function textMap(value: unknown, text: (value: unknown) => string): Record<string, string> {
  if (!isObject(value)) return {};
  const entries = Object.entries(value).filter(([, inner]) => inner !== null);
  return Object.fromEntries(entries.map(([key, inner]) => [key, text(inner)]));
}

function envFileOf(raw: Raw, path: (written: string) => string): Pick<ServerEntry, "envFile"> {
  const written = first(raw, ["envFile", "env_file"]);
  return typeof written === "string" && written !== "" ? { envFile: path(written) } : {};
}

/**
 * The folder that a program is started in. Clients start the servers of a project in its folder,
 * which paths such as `./server.js` need.
 */
function folderOf(
  cwd: unknown,
  words: readonly unknown[],
  project: string | undefined,
  text: (value: unknown) => string,
): Pick<ServerEntry, "cwd"> {
  if (typeof cwd === "string") {
    const written = text(cwd);
    return { cwd: project !== undefined && !isRooted(written) ? join(project, written) : written };
  }
  const isRelative = words.some((word) => /^\.\.?[\\/]/.test(String(word)));
  return project !== undefined && isRelative ? { cwd: project } : {};
}

/** Whether a path does not depend on a folder that only the client knows. */
function isRooted(path: string): boolean {
  return /^[~$]|^[A-Za-z]:[\\/]/.test(path) || isAbsolute(path);
}

/** The path of a file that the client looks for in the folder of the project. */
function fromProject(path: string, project: string | undefined, problems: Set<string>): string {
  if (isRooted(path)) return path;
  if (project !== undefined) return join(project, path);
  problems.add(`envFile ${path} is in a folder that only the client knows; write its full path`);
  return path;
}

/** Variables that are passed on by name: a list of names instead of values. */
function passedOn(raw: Raw): Record<string, string> {
  const names = [...list(raw["env_vars"]), ...list(raw["env_keys"])].map(String);
  return Object.fromEntries(names.map((name) => [name, `\${${name}}`]));
}

/** Headers that take their value from a variable. */
function secretHeaders(raw: Raw): Record<string, string> {
  const headers: Record<string, string> = {};
  const bearer = raw["bearer_token_env_var"];
  if (typeof bearer === "string") headers["Authorization"] = `Bearer \${${bearer}}`;
  const named = raw["env_http_headers"];
  if (isObject(named)) {
    for (const [header, name] of Object.entries(named)) headers[header] = `\${${String(name)}}`;
  }
  return headers;
}

/** A URL without a type means Streamable HTTP; HTTP+SSE has to be specified. */
function remoteType(raw: Raw): "http" | "sse" | undefined {
  const spelled = String(first(raw, ["type", "transport"]) ?? "").toLowerCase();
  if (spelled === "sse") return "sse";
  return /^(streamable[-_]?)?http$/.test(spelled) || raw["httpUrl"] !== undefined
    ? "http"
    : undefined;
}

function filtersOf(raw: Raw): readonly string[] {
  const wanted = list(first(raw, ["includeTools", "enabled_tools", "tools"])).map(String);
  const unwanted = list(first(raw, ["excludeTools", "disabled_tools", "disabledTools"])).map(
    String,
  );
  const filters = [...wanted, ...unwanted.map((name) => `!${name}`)];
  return filters.length === 1 && filters[0] === "*" ? [] : filters;
}
