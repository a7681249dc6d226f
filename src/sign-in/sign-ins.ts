import { credentialId, credentialKey } from "../credentials/credential-id.ts";
import type { CredentialStore } from "../credentials/types.ts";
import type { Logger } from "../log.ts";
import * as oauth from "../oauth/protocol.ts";
import { Credential } from "./credential.ts";
import type { Protocol, SignInParts } from "./parts.ts";
import { Renewal } from "./renewal.ts";
import { ServerSignIn } from "./server-sign-in.ts";
import { TokenRequests } from "./token-requests.ts";
import type { SignInControl, SignInServer } from "./types.ts";

export interface SignInOptions {
  readonly store: CredentialStore;
  readonly log: Logger;
  /** Removes these values from all further output. */
  readonly redactValues: (values: readonly string[]) => void;
  readonly protocol?: Protocol;
  readonly now?: () => number;
}

/** The sign-ins of a process. */
export interface SignIns {
  /** The sign-in of a server. Servers with the same URL and account share one credential. */
  of(server: SignInServer): SignInControl;
  /** Stops watching the store. Resolves when no token is about to be stored any longer. */
  close(): Promise<void>;
}

export function createSignIns(options: SignInOptions): SignIns {
  const { store, log, redactValues, protocol = oauth, now = Date.now } = options;
  const requests = new TokenRequests();
  const parts: SignInParts = { store, log, redactValues, protocol, now, requests };
  const shared = new Map<string, { credential: Credential; renewal: Renewal }>();
  const stop = store.watch(() => {
    for (const { credential } of shared.values()) credential.onStoreChanged();
  });
  return {
    of: (server) => {
      const { account, user } = server.oauth;
      const id = credentialId(server.url, account, user);
      const key = credentialKey(id);
      const known = shared.get(key);
      const credential = known?.credential ?? new Credential(id, parts);
      const renewal = known?.renewal ?? new Renewal(credential, parts);
      shared.set(key, { credential, renewal });
      // The settings or secrets of a server may have changed since its client was refused.
      if (credential.backOff.problem?.state === "refused") credential.backOff.reset();
      return new ServerSignIn(server, credential, renewal, parts);
    },
    close: () => {
      stop();
      return requests.close();
    },
  };
}
