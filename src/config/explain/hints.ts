import { nearest } from "../../text/nearest.ts";
import {
  ENABLED_KEYS,
  INCLUDED_TOOLS_KEYS,
  RENAMED_KEYS,
  TIMEOUT_KEYS,
} from "../canonical/aliases.ts";
import { quoted, type ConfigPath } from "../problems.ts";
import type { Rule } from "../check/rule.ts";
import { ALL_RULES } from "../check/all-rules.ts";
import { isObject } from "../../text/json.ts";

/** What to do about an unknown key. */
export function unknownKeyMessage(key: string, parent: ConfigPath, entry: unknown): string {
  const known = knownKeys(parent);
  const hint = foreignKeyHint(key, parent, entry);
  if (hint !== undefined) return hint;
  if (known.includes(key)) {
    const has = (other: string): boolean => isObject(entry) && Object.hasOwn(entry, other);
    if (key === "scripts")
      return `cannot be combined with ${has("url") ? '"url"' : '"command"'}. Remove it`;
    if (has("scripts") && !has("command") && !has("url"))
      return 'an entry with "scripts" does not have this key. Remove it';
    return `only a server with "${has("url") ? "command" : "url"}" has this key. Remove it`;
  }
  const meant = nearest(key, known);
  if (meant !== undefined) return `unknown key. Did you mean ${quoted(meant)}?`;
  return `unknown key. Remove it, or use one of ${known.join(", ")}`;
}

/** The keys allowed at a path; inside a server, those of both kinds of server. */
function knownKeys(path: ConfigPath): string[] {
  let rules: readonly Rule[] = [ALL_RULES];
  for (const step of path) rules = alternatives(rules).flatMap((rule) => childRule(rule, step));
  const keys = alternatives(rules).flatMap((rule) => Object.keys(rule.properties ?? {}));
  return [...new Set(keys)];
}

function alternatives(rules: readonly Rule[]): readonly Rule[] {
  return rules.flatMap((rule) => rule.anyOf ?? [rule]);
}

function childRule(rule: Rule, step: string | number): Rule[] {
  if (typeof step === "number") return rule.items ? [rule.items] : [];
  const own = rule.properties;
  if (own !== undefined && Object.hasOwn(own, step)) return own[step] ? [own[step]] : [];
  return rule.additionalProperties ? [rule.additionalProperties] : [];
}

const TOOLBOX_EXAMPLE = '"toolboxes": { "main": { "description": "…", "mcpServers": { … } } }';
const SERVERS_OUTSIDE = `servers belong in a toolbox. Write ${TOOLBOX_EXAMPLE}`;
const SERVERS_NAME = 'unknown key. Did you mean "mcpServers"?';

/** Keys of other programs that have no counterpart here, by the level they occur at. */
const AT_TOP: ReadonlyMap<string, string> = new Map([
  ["mcpServers", SERVERS_OUTSIDE],
  ["servers", SERVERS_OUTSIDE],
  ["mcp_servers", SERVERS_OUTSIDE],
  ["context_servers", SERVERS_OUTSIDE],
  ["mcp", SERVERS_OUTSIDE],
  ["inputs", "the workbench cannot prompt for input. Use environment variables: ${NAME}"],
]);
const IN_TOOLBOX: ReadonlyMap<string, string> = new Map([
  ["servers", SERVERS_NAME],
  ["mcp_servers", SERVERS_NAME],
  ["context_servers", SERVERS_NAME],
  ["toolFilters", "filters belong to a server. Move them into each entry of mcpServers"],
]);
const IN_SERVER: ReadonlyMap<string, string> = new Map([
  [
    "bearer_token_env_var",
    'unknown key. Write "headers": { "Authorization": "Bearer ${NAME}" } instead',
  ],
  ["env_http_headers", 'unknown key. Write "headers": { "Header": "${NAME}" } instead'],
  ["shell", "programs are started without a shell. Remove it"],
]);

function foreignKeyHint(key: string, parent: ConfigPath, entry: unknown): string | undefined {
  if (parent.length === 0) return AT_TOP.get(key);
  if (parent.length === 2 && parent[0] === "toolboxes") return IN_TOOLBOX.get(key);
  if (parent.length !== 4 || parent[2] !== "mcpServers") return undefined;
  const canonical = canonicalKey(key);
  // An alias reaches the schema only if the canonical key is also given and has another value.
  if (canonical !== undefined && isObject(entry) && Object.hasOwn(entry, canonical)) {
    return `means the same as "${canonical}", which is also given. Keep one of them`;
  }
  return IN_SERVER.get(key);
}

function canonicalKey(key: string): string | undefined {
  if (ENABLED_KEYS.has(key)) return "disabled";
  if (TIMEOUT_KEYS.has(key)) return "timeouts";
  if (INCLUDED_TOOLS_KEYS.has(key)) return "toolFilters";
  return RENAMED_KEYS.get(key);
}
