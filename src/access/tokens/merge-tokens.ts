import type { TokenList, TokenRecord } from "./token-record.ts";

/**
 * What two copies of the list give together. A token that was revoked in one of them is revoked. If a token was rotated,
 * only its last secret counts.
 */
export function mergeTokens(one: TokenList, other: TokenList): TokenList {
  const revoked = new Set([...one.revoked, ...other.revoked]);
  const tokens = new Map<string, TokenRecord>();
  for (const token of [...one.tokens, ...other.tokens]) {
    if (revoked.has(token.id)) continue;
    const known = tokens.get(token.id);
    tokens.set(token.id, known === undefined ? token : laterOf(known, token));
  }
  return {
    tokens: [...tokens.values()].sort((a, b) => compare(orderOf(a), orderOf(b))),
    revoked: [...revoked].sort(),
  };
}

function laterOf(one: TokenRecord, other: TokenRecord): TokenRecord {
  const later = compare(rankOf(one), rankOf(other)) >= 0 ? one : other;
  const uses = [one.lastUsedAt, other.lastUsedAt].filter((time) => time !== undefined);
  const lastUsedAt = uses.sort().at(-1);
  return { ...later, ...(lastUsedAt !== undefined && { lastUsedAt }) };
}

/** By when its secret was made; the hash decides if two replicas made one at the same time. */
function rankOf({ createdAt, rotatedAt, hash }: TokenRecord): string {
  return `${new Date(rotatedAt ?? createdAt).toISOString()} ${hash} ${rotatedAt ?? ""}`;
}

function orderOf({ createdAt, id }: TokenRecord): string {
  return `${new Date(createdAt).toISOString()} ${id}`;
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
