import { join } from "node:path";

import { type Machine, stateDir } from "../../config/directories.ts";
import { workbenchError } from "../../errors.ts";
import {
  type SharedFormat,
  type StateFile,
  readStateFile,
  updateSharedFile,
} from "../state-file.ts";
import { mergeTokens } from "./merge-tokens.ts";
import { type TokenList, type TokenRecord, parseTokens, tokensText } from "./token-record.ts";

export const TOKEN_FORMAT: SharedFormat<TokenList> = {
  empty: { tokens: [], revoked: [] },
  parse: parseTokens,
  textOf: tokensText,
  merge: mergeTokens,
  unusable: (file, reason, cause) => {
    const hint = "No token is accepted until it is repaired or moved away";
    return workbenchError("TOKENS_UNUSABLE", { file, reason }, hint, cause);
  },
  busy: (file, reason) => workbenchError("TOKENS_BUSY", { file, reason }, "Try again"),
};

/** Where the access tokens of this user are stored, for all configurations. */
export function tokenFile(machine?: Machine): string {
  return join(stateDir(machine), "tokens.json");
}

/** The stored tokens. Throws if the file cannot be trusted. */
export function readTokens(file: StateFile): readonly TokenRecord[] {
  return readStateFile(file, TOKEN_FORMAT).tokens;
}

/** Replaces the stored tokens, and returns the result. Those that are left out are revoked for good. */
export function updateTokens<T>(
  file: StateFile,
  change: (tokens: readonly TokenRecord[]) => {
    readonly next: readonly TokenRecord[];
    readonly result: T;
  },
): Promise<T> {
  return updateSharedFile(file, TOKEN_FORMAT, (before) => {
    const { next, result } = change(before.tokens);
    if (next === before.tokens) return { next: before, result };
    const kept = new Set(next.map(({ id }) => id));
    const removed = before.tokens.map(({ id }) => id).filter((id) => !kept.has(id));
    return { next: { tokens: next, revoked: [...before.revoked, ...removed] }, result };
  });
}
