import { createHash } from "node:crypto";

import { isObject, parseJson } from "../text/json.ts";
import type { CredentialRecord } from "./record.ts";
import { assertRecord } from "./record-shape.ts";

/** What replicas share about one credential: the record, or that the user has logged out. */
export interface SharedRecord {
  /** Grows with each change. */
  readonly stamp: number;
  readonly record: CredentialRecord | undefined;
}

/** What this machine knows of the last time at which its record and the shared one were the same. */
export interface SyncPoint {
  readonly stamp: number;
  /** Of the record of this machine. */
  readonly hash: string;
  /** Whether the shared record came from this machine: only then it may be refreshed while Redis is away. */
  readonly isOwn: boolean;
}

export function sharedText({ stamp, record }: SharedRecord): string {
  return JSON.stringify({ version: 1, stamp, record });
}

export function parseShared(text: string): SharedRecord {
  const value = parseJson(text);
  if (!isObject(value) || value["version"] !== 1 || !Number.isSafeInteger(value["stamp"]))
    throw new Error("the shared record is damaged");
  const { stamp, record } = value;
  if (record !== undefined) assertRecord(record);
  return { stamp: Number(stamp), record };
}

export function parseSyncPoint(text: string | undefined): SyncPoint | undefined {
  const value = parseJson(text ?? "");
  if (!isObject(value)) return undefined;
  const { stamp, hash, isOwn } = value;
  if (!Number.isSafeInteger(stamp) || typeof hash !== "string") return undefined;
  return { stamp: Number(stamp), hash, isOwn: isOwn === true };
}

export function recordHash(record: CredentialRecord | undefined): string {
  const text = record === undefined ? "" : JSON.stringify(record);
  return createHash("sha256").update(text).digest("base64url");
}

/**
 * Which state counts for all. What was changed on one side only, does. If both sides were changed, a logout counts more
 * than a record: logging in again is possible, undoing a use of the token is not. Of two records, the one with the newer token.
 */
export function currentRecord(
  local: CredentialRecord | undefined,
  known: SyncPoint | undefined,
  shared: SharedRecord | undefined,
): "local" | "shared" | "same" {
  const hash = recordHash(local);
  const isSame = shared !== undefined && recordHash(shared.record) === hash;
  if (isSame) return "same";
  if (shared === undefined) return local === undefined ? "same" : "local";
  const isChangedHere = known === undefined ? local !== undefined : known.hash !== hash;
  // Redis may have lost its last changes.
  const hasNews = known === undefined || shared.stamp > known.stamp;
  if (!isChangedHere && hasNews) return "shared";
  if (isChangedHere && known?.stamp === shared.stamp) return "local";
  if (local === undefined) return "local";
  if (shared.record === undefined) return "shared";
  return obtainedAt(local) > obtainedAt(shared.record) ? "local" : "shared";
}

function obtainedAt({ token }: CredentialRecord): number {
  return token?.obtainedAt ?? 0;
}
