/**
 * What other programs call the keys of a server entry. Each row is data about foreign formats;
 * `normalise.ts` applies it.
 */

/** Same meaning, other name. The value is taken over as it is. */
export const RENAMED_KEYS: ReadonlyMap<string, string> = new Map([
  ["cmd", "command"],
  ["environment", "env"],
  ["envs", "env"],
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
 * Spellings of the transport, in lower case and letters only. `remote` means an HTTP server without
 * saying which of the two kinds, so it becomes "find out".
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

/** Lists of tools to show. Dropping them would show more than the author wanted. */
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
 * an hour, and nobody wants calls to end after less than four seconds, so the size tells.
 */
const fromEither = (value: number): number => (value <= 3600 ? fromSeconds(value) : value);

export const TIMEOUT_KEYS: ReadonlyMap<string, TimeoutKey> = new Map<string, TimeoutKey>([
  ["timeout", { target: "callMs", milliseconds: fromEither }],
  ["tool_timeout_sec", { target: "callMs", milliseconds: fromSeconds }],
  ["startup_timeout_sec", { target: "connectMs", milliseconds: fromSeconds }],
]);

/**
 * Keys that matter only inside the program the entry was copied from: what it approves by itself,
 * how it shows the server, where it got it. Nothing is lost without them.
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
