import type { IdentityProvider } from "../../config/types.ts";
import { type JsonObject, isObject } from "../../text/json.ts";

/** What a verified token says about its user. */
export interface TokenUser {
  readonly subject: string;
  readonly name: string;
  readonly scopes: readonly string[];
  /** Milliseconds since the epoch. */
  readonly expiresAt: number;
}

/** OpenID Connect allows 255 characters. */
const MAX_CHARS = 255;
const DEFAULT_SCOPES = ["scope", "scp"];
/** Claims of tokens that are for the client, not for the workbench. */
const ID_TOKEN_CLAIMS = ["nonce", "at_hash", "c_hash"];
/** What Keycloak writes into `typ` of tokens that are for the client or for itself. */
const OTHER_TYPES: ReadonlySet<unknown> = new Set(["ID", "Refresh", "Offline", "Logout"]);

/** Reads the claims; returns a reason if the token cannot be used, however valid it is. */
export function userIn(claims: JsonObject, names: IdentityProvider["claims"]): TokenUser | string {
  if (ID_TOKEN_CLAIMS.some((name) => name in claims) || claims["token_use"] === "id")
    return "it is an ID token, not an access token";
  if (OTHER_TYPES.has(claims["typ"]) || "events" in claims) return "it is not an access token";
  // Only its sender may use such a token, and that is not checked here.
  if ("cnf" in claims) return "it is bound to a key";
  const { exp } = claims;
  if (typeof exp !== "number") return "it has no expiry";
  const subject = claimAt(claims, names.subject);
  if (!isShortText(subject)) return "it does not name a user";
  const name = names.name === undefined ? subject : claimAt(claims, names.name);
  const scopes = names.scope === undefined ? DEFAULT_SCOPES : [names.scope];
  return {
    subject,
    name: isShortText(name) ? name : subject,
    scopes: scopes.flatMap((claim) => textsIn(claimAt(claims, claim))),
    expiresAt: exp * 1000,
  };
}

/** A claim by its name, or by a path: names may contain dots, too. */
function claimAt(claims: JsonObject, path: string): unknown {
  if (Object.hasOwn(claims, path)) return claims[path];
  let value: unknown = claims;
  for (const name of path.split("."))
    value = isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
  return value;
}

/** Scopes are separated by spaces, or items of a list. */
function textsIn(value: unknown): string[] {
  if (typeof value === "string") return value.split(" ").filter((text) => text !== "");
  if (!Array.isArray(value)) return [];
  return value.filter((item): item is string => typeof item === "string");
}

function isShortText(value: unknown): value is string {
  return (
    typeof value === "string" &&
    value.length <= MAX_CHARS &&
    // Names are shown in logs and on terminals.
    /^[^\p{C}\p{Z}](?:[^\p{C}]*[^\p{C}\p{Z}])?$/u.test(value)
  );
}
