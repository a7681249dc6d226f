import { type Server, type ServerOptions, createServer, maxHeaderSize } from "node:http";

import type { Workbench } from "../../workbench/workbench.ts";

/** What replicas may add to the headers of a client, at most. */
const REPLICA_BYTES = 4096;

/** A server for HTTP, or for HTTPS if the configuration has a certificate. */
export async function newServer(
  workbench: Pick<Workbench, "settings" | "host">,
  given: ServerOptions,
): Promise<Server> {
  const { settings, host } = workbench;
  const room = host.cluster === undefined ? 0 : REPLICA_BYTES;
  const options = { ...given, maxHeaderSize: maxHeaderSize + room };
  if (settings.http.tls === undefined) return createServer(options);
  const { createTlsServer } = await import("./tls-server.ts");
  return createTlsServer(() => workbench.settings.http.tls, options, host.log);
}
