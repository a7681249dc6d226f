import { isRemote } from "../config/is-remote.ts";
import type { ConnectedServer } from "./connection/connection-owner.ts";

/**
 * Before a connection is made: loads the sign-in of a remote server, which local servers never need,
 * and its credential if there is one.
 */
export async function prepareSignIn(server: ConnectedServer): Promise<void> {
  if (!isRemote(server.settings.transport) || server.host.signIns === undefined) return;
  const { authorizationOf } = await import("./server-authorization.ts");
  server.signIn ??= authorizationOf(server);
  await server.signIn?.prepare();
}
