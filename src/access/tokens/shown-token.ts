import { type TokenRecord, expiryOf } from "./token-record.ts";

/** What may be shown about a token. */
export interface ShownToken {
  readonly name: string;
  readonly id: string;
  /** Null, and `servers` too: all toolboxes. */
  readonly toolboxes: readonly string[] | null;
  readonly servers: readonly string[] | null;
  readonly readOnly: boolean;
  readonly createdAt: string;
  readonly rotatedAt: string | null;
  readonly expiresAt: string | null;
  readonly lastUsedAt: string | null;
  readonly expired: boolean;
}

export function shownToken(record: TokenRecord): ShownToken {
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
