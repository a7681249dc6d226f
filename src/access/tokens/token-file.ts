import { join } from "node:path";

import { type Machine, stateDir } from "../../config/directories.ts";
import { workbenchError } from "../../errors.ts";
import { type StateFormat, readStateFile, updateStateFile } from "../state-file.ts";
import { type TokenRecord, parseTokens, tokensText } from "./token-record.ts";

const FORMAT: StateFormat<readonly TokenRecord[]> = {
  empty: [],
  parse: parseTokens,
  textOf: tokensText,
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
export function readTokens(file: string): readonly TokenRecord[] {
  return readStateFile(file, FORMAT);
}

/** Replaces the stored tokens, and returns the result. */
export function updateTokens<T>(
  file: string,
  change: (tokens: readonly TokenRecord[]) => {
    readonly next: readonly TokenRecord[];
    readonly result: T;
  },
): Promise<T> {
  return updateStateFile(file, FORMAT, change);
}
