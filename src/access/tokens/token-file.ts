import { statSync } from "node:fs";
import { dirname, join } from "node:path";

import { type Machine, ensurePrivateDir, stateDir } from "../../config/directories.ts";
import { LOCK_TIMING, takeLock } from "../../credentials/file-lock.ts";
import { assertReplaceable, readOwnFileSync } from "../../credentials/private-files.ts";
import { isWorkbenchError, reasonOf, workbenchError } from "../../errors.ts";
import { writeFileAtomic } from "../../files/write-atomic.ts";
import { type TokenRecord, parseTokens, tokensText } from "./token-record.ts";

/** Where the access tokens of this user are stored, for all configurations. */
export function tokenFile(machine?: Machine): string {
  return join(stateDir(machine), "tokens.json");
}

/** The stored tokens; none if the file does not exist. Throws if the file cannot be trusted. */
export function readTokens(file: string): readonly TokenRecord[] {
  try {
    const text = readOwnFileSync(file);
    return text === undefined ? [] : parseTokens(text);
  } catch (error) {
    throw unusable(file, error);
  }
}

/** Changes whenever the file is replaced; undefined if it does not exist. */
export function tokenFileState(file: string): string | undefined {
  try {
    const found = statSync(file, { bigint: true, throwIfNoEntry: false });
    return found && `${found.ino} ${found.mtimeNs} ${found.size} ${found.mode}`;
  } catch (error) {
    return reasonOf(error);
  }
}

/**
 * Replaces the stored tokens by what `change` returns, and returns its result. One process at a time
 * does this; a process that is killed leaves the old or the new tokens.
 */
export async function updateTokens<T>(
  file: string,
  change: (tokens: readonly TokenRecord[]) => { tokens: readonly TokenRecord[]; result: T },
): Promise<T> {
  ensurePrivateDir(dirname(file));
  const lock = await takeLock(`${file}.lock`, LOCK_TIMING, (reason) =>
    workbenchError("TOKENS_BUSY", { file, reason }, "Try again"),
  );
  try {
    const before = readTokens(file);
    const { tokens, result } = change(before);
    if (tokens === before) return result;
    await assertReplaceable(file).catch((error: unknown) => {
      throw unusable(file, error);
    });
    await lock.assertHeld();
    await writeFileAtomic(file, tokensText(tokens), { mode: 0o600 });
    return result;
  } finally {
    // A lock that cannot be removed gets stale.
    await lock.release().catch(() => undefined);
  }
}

function unusable(file: string, error: unknown): Error {
  if (isWorkbenchError(error)) return error;
  // Some reasons start with the name of the file, which is named already.
  const reason = reasonOf(error).replace(`${file} `, "it ").replace(/\.$/, "");
  const hint = "No token is accepted until it is repaired or moved away";
  return workbenchError("TOKENS_UNUSABLE", { file, reason }, hint, error);
}
