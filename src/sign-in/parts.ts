import type { CredentialStore } from "../credentials/types.ts";
import type { Logger } from "../log.ts";
import type { TokenRequests } from "./token-requests.ts";

/** The functions of the protocol that a sign-in uses. */
export type Protocol = Omit<typeof import("../oauth/protocol.ts"), "OAuthFailure">;

/** What all sign-ins of a process share. */
export interface SignInParts {
  readonly store: CredentialStore;
  readonly protocol: Protocol;
  readonly log: Logger;
  /** Removes these values from all further output; called before a value is used. */
  readonly redactValues: (values: readonly string[]) => void;
  readonly now: () => number;
  readonly requests: TokenRequests;
}
