import { isObject } from "../../text/json.ts";
import type { ConfigPath } from "../problems.ts";

/** How other programs write the sign-in of a server, and what that is in the canonical form. */

const RENAMED: ReadonlyMap<string, string> = new Map([
  ["client_id", "clientId"],
  ["CLIENT_ID", "clientId"],
  ["client_secret", "clientSecret"],
  ["CLIENT_SECRET", "clientSecret"],
  ["redirect_uri", "redirectUri"],
  ["redirectURI", "redirectUri"],
  ["redirectUrl", "redirectUri"],
  ["grantType", "grant"],
  ["grant_type", "grant"],
  ["scope", "scopes"],
  ["extra_params", "authorizationParams"],
  ["extraParams", "authorizationParams"],
  ["client_metadata_url", "clientMetadataUrl"],
]);

/** The addresses of the authorization server, which are discovered, and details of the clients. */
const IGNORED: ReadonlySet<string> = new Set([
  "authServerMetadataUrl",
  "authorizationUrl",
  "authorization_url",
  "tokenUrl",
  "token_url",
  "registrationUrl",
  "tokenParamName",
  "pkce_enabled",
]);

/** The address to which these clients have the browser return. */
const CALLBACK = (port: number): string => `http://localhost:${port}/callback`;

export interface TranslatedSignIn {
  /** The value for `oauth`; undefined if the sign-in is automatic. */
  readonly value: unknown;
  /** The keys whose names changed: from the canonical path to the one in the file. */
  readonly moved: readonly (readonly [to: ConfigPath, from: ConfigPath])[];
}

/** True for a key with a sign-in that has to be translated. */
export function isForeignSignIn(key: string, value: unknown): boolean {
  if (key === "auth") return value === "oauth" || isObject(value);
  if (key !== "oauth") return false;
  return (
    value === true ||
    (isObject(value) && Object.keys(value).some((name) => isForeignIn(value, name)))
  );
}

function isForeignIn(block: Readonly<Record<string, unknown>>, key: string): boolean {
  if (key === "scopes") return typeof block[key] === "string";
  return RENAMED.has(key) || IGNORED.has(key) || key === "enabled" || key === "callbackPort";
}

export function translateSignIn(key: string, given: unknown): TranslatedSignIn {
  if (!isObject(given)) return { value: undefined, moved: [] };
  const value: Record<string, unknown> = {};
  const moved: [ConfigPath, ConfigPath][] = [];
  const set = (name: string, item: unknown, from: string): void => {
    // One that contradicts an existing key is left to the schema.
    const to =
      Object.hasOwn(value, name) || (from !== name && Object.hasOwn(given, name)) ? from : name;
    value[to] = item;
    if (to !== from || key !== "oauth")
      moved.push([
        ["oauth", to],
        [key, from],
      ]);
  };
  for (const [name, item] of Object.entries(given)) {
    const renamed = RENAMED.get(name) ?? name;
    if (name === "enabled" && item === false)
      return { value: false, moved: [[["oauth"], [key, name]]] };
    if (IGNORED.has(name) || name === "enabled") continue;
    if (name === "callbackPort" && typeof item === "number")
      set("redirectUri", CALLBACK(item), name);
    else if (renamed === "scopes" && typeof item === "string") set("scopes", words(item), name);
    else set(renamed, item, name);
  }
  return { value, moved };
}

/** Scopes are separated by spaces in OAuth; some files use commas. */
function words(text: string): string[] {
  return text.split(/[\s,]+/).filter((word) => word !== "");
}
