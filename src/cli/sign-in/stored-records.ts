import { credentialKey } from "../../credentials/credential-id.ts";
import type { CredentialRecord } from "../../credentials/record.ts";
import type { CredentialStore } from "../../credentials/types.ts";
import { OWNER_USER } from "../../config/per-user.ts";
import type { SignInUser } from "../../config/types.ts";
import type { RemoteServer } from "./remote-server.ts";

/** All sign-ins that are stored and can be read. */
export async function storedRecords(
  store: Pick<CredentialStore, "list">,
): Promise<readonly CredentialRecord[]> {
  return (await store.list()).flatMap((one) => ("record" in one ? [one.record] : []));
}

/** The users other than the owner who have a sign-in to this server. */
export function usersAt(
  { transport, oauth }: Pick<RemoteServer, "transport" | "oauth">,
  records: readonly CredentialRecord[],
): readonly SignInUser[] {
  if (oauth.user === undefined) return [];
  const { url } = transport;
  const { account } = oauth;
  return records.flatMap((record) => {
    const { user } = record;
    if (user === undefined || user.id === OWNER_USER.id) return [];
    return credentialKey({ url, account, user }) === credentialKey(record) ? [user] : [];
  });
}
