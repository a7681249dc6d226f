import { reasonOf, workbenchError, type WorkbenchError } from "../errors.ts";
import type { Environment } from "../config/canonical/expand.ts";
import { keyringLibrary, runKeyring } from "./keyring-process.ts";

/** The stored secrets in the keychain of the operating system. Each call ends within its time limit. */
export interface Keyring {
  /** Undefined if there is no such entry. */
  get(account: string): Promise<string | undefined>;
  set(account: string, value: string): Promise<void>;
  /** Whether there was such an entry. */
  delete(account: string): Promise<boolean>;
}

export interface KeyringOptions {
  readonly env?: Environment;
  readonly timeoutMs?: number;
}

/** All entries have this in common, so that nothing else in the keychain is ever touched. */
export const SERVICE = "mcp-workbench";

const TIMEOUT_MS = 10_000;

/**
 * Opens the keychain through the optional library. Throws SECRETS_UNAVAILABLE, with what to do, if
 * the library is not installed or the keychain cannot be used.
 */
export async function openKeyring({
  env = process.env,
  timeoutMs = TIMEOUT_MS,
}: KeyringOptions = {}): Promise<Keyring> {
  const library = keyringLibrary();
  if (library === undefined) throw unavailable(`its library ${LIBRARY} is not installed`, INSTALL);
  const run = (
    account: string,
    action: { action: "get" | "delete" } | { action: "set"; value: string },
  ): Promise<string | undefined> => {
    // Earlier versions stored secrets under this name on Windows.
    const target = process.platform === "win32" ? { target: `${SERVICE}:${account}` } : {};
    const request = { service: SERVICE, account, ...target, ...action };
    return runKeyring(request, { env, timeoutMs, library }).catch((error: unknown) => {
      throw unavailable(reasonOf(error), UNLOCK, error);
    });
  };
  return {
    get: (account) => run(account, { action: "get" }),
    async set(account, value) {
      await run(account, { action: "set", value });
    },
    delete: async (account) => (await run(account, { action: "delete" })) !== undefined,
  };
}

/** The keychain in words. */
export function keyringLabel(platform: NodeJS.Platform): string {
  if (platform === "darwin") return "the keychain of macOS";
  return platform === "win32"
    ? "the Credential Manager of Windows"
    : "the keychain (Secret Service)";
}

const LIBRARY = "@napi-rs/keyring";
const INSTALL = `Install it with 'npm install ${LIBRARY}' in the folder of mcp-workbench, or store secrets in a file instead`;
const UNLOCK = "Unlock the keychain, or store secrets in a file instead";

function unavailable(reason: string, fix: string, cause?: unknown): WorkbenchError {
  const store = keyringLabel(process.platform);
  return workbenchError("SECRETS_UNAVAILABLE", { store, reason }, fix, cause);
}
