/** How other programs name the keys of a server entry. `normalise.ts` applies these tables. */

/** Same meaning, different name. The value is kept as it is. */
export const RENAMED_KEYS: ReadonlyMap<string, string> = new Map([
  ["cmd", "command"],
  ["environment", "env"],
  ["envs", "env"],
  ["env_file", "envFile"],
  ["workingDirectory", "cwd"],
  ["working_directory", "cwd"],
  ["serverUrl", "url"],
  ["httpUrl", "url"],
  ["uri", "url"],
  ["baseUrl", "url"],
  ["http_headers", "headers"],
  ["env_vars", "inheritEnv"],
  ["transport", "type"],
  ["transportType", "type"],
]);

/**
 * Spellings of the transport, in lower case and letters only. `remote` means an HTTP server of either
 * kind, so the kind is detected.
 */
export const SERVER_TYPES: ReadonlyMap<string, string> = new Map([
  ["stdio", "stdio"],
  ["local", "stdio"],
  ["command", "stdio"],
  ["http", "http"],
  ["streamablehttp", "http"],
  ["streamable", "http"],
  ["httpstream", "http"],
  ["sse", "sse"],
  ["httpsse", "sse"],
  ["remote", "remote"],
]);

/** The opposite of `disabled`. */
export const ENABLED_KEYS: ReadonlySet<string> = new Set(["enabled", "isActive"]);

/** Lists of tools to show. Dropping them would show more than the author intended. */
export const INCLUDED_TOOLS_KEYS: ReadonlySet<string> = new Set([
  "includeTools",
  "enabledTools",
  "enabled_tools",
  "tools",
]);

/** Lists of tools to hide. */
export const EXCLUDED_TOOLS_KEYS: ReadonlySet<string> = new Set([
  "excludeTools",
  "disabledTools",
  "disabled_tools",
]);

interface TimeoutKey {
  readonly target: "connectMs" | "callMs";
  readonly milliseconds: (value: number) => number;
}

const fromSeconds = (value: number): number => Math.round(value * 1000);

/**
 * `timeout` is in seconds for some clients and in milliseconds for others. The former allow at most
 * an hour, and a call limit below four seconds makes no sense, so the size tells which it is.
 */
const fromEither = (value: number): number => (value <= 3600 ? fromSeconds(value) : value);

export const TIMEOUT_KEYS: ReadonlyMap<string, TimeoutKey> = new Map<string, TimeoutKey>([
  ["timeout", { target: "callMs", milliseconds: fromEither }],
  ["tool_timeout_sec", { target: "callMs", milliseconds: fromSeconds }],
  ["startup_timeout_sec", { target: "connectMs", milliseconds: fromSeconds }],
]);

/**
 * Keys that matter only to the program the entry was copied from: what it approves automatically,
 * how it displays the server, where it got it. Nothing is lost without them.
 */
export const IGNORED_KEYS: ReadonlySet<string> = new Set([
  "alwaysAllow",
  "alwaysLoad",
  "autoApprove",
  "trust",
  "deferTools",
  "name",
  "displayName",
  "display_name",
  "title",
  "description",
  "icon",
  "logoUrl",
  "tags",
  "version",
  "gallery",
  "registryUrl",
  "provider",
  "providerUrl",
  "source",
  "installSource",
  "bundled",
]);
