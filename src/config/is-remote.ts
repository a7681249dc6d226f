import type { RemoteTransport, ServerSettings } from "./types.ts";

/** Whether a server is reached over HTTP. */
export function isRemote(transport: ServerSettings["transport"]): transport is RemoteTransport {
  return transport.kind !== "stdio" && transport.kind !== "scripts";
}
