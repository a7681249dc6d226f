import type { CredentialMode } from "../../config/types.ts";
import { openCredentialStore } from "../../credentials/store.ts";
import { type SignIns, type SignInOptions, createSignIns } from "../../sign-in/sign-ins.ts";

/** The sign-ins of this user, with everything they need. Loaded when a server needs one. */
export function openSignIns(
  mode: () => CredentialMode,
  options: Pick<SignInOptions, "log" | "redactValues">,
): SignIns {
  return createSignIns({ ...options, store: openCredentialStore({ mode, env: process.env }) });
}
