import type { CredentialRecord, TokenSet } from "../credentials/record.ts";

const MIN_MARGIN_MS = 60_000;
/** The part of its lifetime that a token should still have. */
const MARGIN_SHARE = 0.1;
/** Tokens that live for a minute or two are used for at least half of it. */
const MAX_MARGIN_SHARE = 0.5;
/** A request may take this long to arrive: with less time left, it waits for the new token. */
const MIN_USABLE_MS = 30_000;

/** Whether a token should be refreshed before it is used. One without an expiry is used until it is rejected. */
export function isDue({ expiresAt, obtainedAt }: TokenSet, now: number): boolean {
  if (expiresAt === undefined) return false;
  const lifetime = Math.max(0, expiresAt - obtainedAt);
  const margin = Math.min(
    Math.max(MIN_MARGIN_MS, lifetime * MARGIN_SHARE),
    lifetime * MAX_MARGIN_SHARE,
  );
  return expiresAt - margin <= now;
}

export function isExpired({ expiresAt }: TokenSet, now: number): boolean {
  return expiresAt !== undefined && expiresAt <= now;
}

/** Whether a token that is due can be used for one more request while it is refreshed. */
export function isUsable({ expiresAt }: TokenSet, now: number): boolean {
  return expiresAt === undefined || expiresAt - MIN_USABLE_MS > now;
}

/** Whether the authorization server refused to refresh what is stored. */
export function isRefused({ refused, generation }: CredentialRecord): boolean {
  return refused?.generation === generation;
}
