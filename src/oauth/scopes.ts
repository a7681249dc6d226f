import type { OAuthSettings } from "../config/types.ts";
import type { BearerChallenge, Discovery } from "./types.ts";

const OFFLINE = "offline_access";
/** As OAuth defines it. */
const SCOPE = /^[\x21\x23-\x5b\x5d-\x7e]+$/;
/** Longer ones do not fit into the address of a login page. */
const MAX_CHARS = 4000;

/**
 * The scope for the next login; undefined to send none. Configured scopes come first, then what the
 * challenge asks for, then what the server lists. `previous` is the scope of the last login: it is
 * kept, and what the challenge asks for is added.
 */
export function scopeToRequest(
  challenge: BearerChallenge | undefined,
  { scopesSupported, server }: Pick<Discovery, "scopesSupported" | "server">,
  settings: OAuthSettings,
  previous?: string,
): string | undefined {
  const asked = scopesOf(challenge?.scope);
  const configured = settings.scopes ?? [];
  const named =
    previous !== undefined && asked.length > 0
      ? asked
      : (settings.scopes ?? (asked.length > 0 ? asked : (scopesSupported ?? [])));
  // A long-lived login is possible only where the authorization server offers it.
  const isOffered = server.scopes_supported?.includes(OFFLINE) === true;
  const wanted = [...scopesOf(previous), ...named].filter(
    (scope) => isScope(scope) && (scope !== OFFLINE || isOffered || configured.includes(OFFLINE)),
  );
  // On its own it would replace the default scope of the authorization server.
  const addsOffline =
    isOffered &&
    wanted.length > 0 &&
    settings.scopes === undefined &&
    settings.grant !== "client_credentials";
  const scope = [...new Set([...wanted, ...(addsOffline ? [OFFLINE] : [])])].join(" ");
  return scope === "" || scope.length > MAX_CHARS ? undefined : scope;
}

/** The parts of a scope. */
export function scopesOf(scope: string | undefined): string[] {
  return scope?.split(" ").filter((part) => part !== "") ?? [];
}

/** Whether a part of a scope can be requested and shown. */
export function isScope(part: string): boolean {
  return SCOPE.test(part);
}

/** The valid parts of a text of a server, once each, as many as fit. */
export function validScope(text: string, maxChars = MAX_CHARS): string {
  let scope = "";
  for (const part of new Set(text.split(/\s+/).filter(isScope))) {
    if (scope.length + part.length >= maxChars) break;
    scope += scope === "" ? part : ` ${part}`;
  }
  return scope;
}

export function hasOfflineAccess(scope: string | undefined): boolean {
  return scopesOf(scope).includes(OFFLINE);
}
