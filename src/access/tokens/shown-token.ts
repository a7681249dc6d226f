import { type TokenRecord, expiryOf } from "./token-record.ts";
import type { TokenSummary } from "./token-summary.ts";

export function shownToken(record: TokenRecord): TokenSummary {
  const { id, name, toolboxes, servers, readOnly, createdAt } = record;
  return {
    name,
    id,
    toolboxes: toolboxes ?? null,
    servers: servers ?? null,
    readOnly,
    createdAt,
    rotatedAt: record.rotatedAt ?? null,
    expiresAt: record.expiresAt ?? null,
    lastUsedAt: record.lastUsedAt ?? null,
    expired: isExpired(record),
  };
}

export function isExpired(record: TokenRecord): boolean {
  return Date.now() >= expiryOf(record);
}
