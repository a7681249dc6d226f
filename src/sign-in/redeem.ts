import type { CredentialRecord, OAuthClient } from "../credentials/record.ts";
import type { OAuthSettings } from "../config/types.ts";
import type { SignInParts } from "./parts.ts";
import type { Redeemer } from "./renewal.ts";
import type { SignInTarget } from "./types.ts";

/** The client of a record, with the secret that the configuration has now. */
export function clientOf(
  { client }: CredentialRecord,
  settings: OAuthSettings,
): OAuthClient | undefined {
  if (client?.kind !== "static" || client.clientId !== settings.clientId) return client;
  const { clientSecret } = settings;
  return clientSecret === undefined ? client : { ...client, clientSecret };
}

/** The client as it is stored: a configured secret stays in the configuration. */
export function storedClient(client: OAuthClient): OAuthClient {
  if (client.kind !== "static") return client;
  const { clientSecret: _, ...others } = client;
  return others;
}

/** Whether a new token can be obtained without the user. */
export function isRefreshable(record: CredentialRecord | undefined): boolean {
  const { token, client, endpoints } = record ?? {};
  return token?.refreshToken !== undefined && client !== undefined && endpoints !== undefined;
}

export function redeemRefreshToken(
  { protocol }: Pick<SignInParts, "protocol">,
  target: () => Promise<SignInTarget>,
): Redeemer {
  const redeem: Redeemer["redeem"] = async (current, lock) => {
    if (!isRefreshable(current)) return undefined;
    const { url: serverUrl, oauth: settings } = await target();
    const client = current && clientOf(current, settings);
    const { endpoints, token, resource } = current ?? {};
    if (!current || !client || !endpoints || token?.refreshToken === undefined) return undefined;
    await lock.assertHeld();
    const { privateKey } = settings;
    const grant = { serverUrl, endpoints, client, token, resource, privateKey };
    const fresh = await protocol.refreshTokens(grant);
    const { refused: _, ...others } = current;
    const kept = { refreshToken: token.refreshToken, ...(token.scope && { scope: token.scope }) };
    return { ...others, generation: current.generation + 1, token: { ...kept, ...fresh } };
  };
  return { needsUser: true, redeem };
}
