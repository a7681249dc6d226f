import type { Credential } from "./credential.ts";
import type { SignInParts } from "./parts.ts";
import { clientOf } from "./redeem.ts";
import { shortReason } from "./sign-in-errors.ts";
import type { LogoutResult, SignInTarget } from "./types.ts";

/** Revokes the tokens if the authorization server can, and removes the credential in any case. */
export async function logout(
  credential: Credential,
  target: () => Promise<SignInTarget>,
  parts: SignInParts,
): Promise<LogoutResult> {
  const { store, protocol } = parts;
  return store.withLock(credential.id, async () => {
    // A record that cannot be read can still be removed.
    await credential.reload().catch(() => {});
    const { record } = credential;
    const { token, endpoints, resource } = record ?? {};
    let problem: string | undefined;
    let revoked = false;
    if (token && record?.client && endpoints?.revocationEndpoint !== undefined)
      try {
        const { url: serverUrl, oauth } = await target();
        const client = clientOf(record, oauth) ?? record.client;
        const { privateKey } = oauth;
        const grant = { serverUrl, endpoints, client, token, resource, privateKey };
        await protocol.revokeTokens(grant);
        revoked = true;
      } catch (error) {
        problem = shortReason(error);
      }
    const removed = await store.remove(credential.id);
    credential.adopt(undefined);
    return { removed, revoked, ...(problem !== undefined && { problem }) };
  });
}
