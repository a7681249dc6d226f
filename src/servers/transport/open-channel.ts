import type { ServerSettings } from "../../config/types.ts";
import type { ConnectedServer } from "../connection/connection-owner.ts";
import type { Channel, ChannelEvents } from "./channel.ts";

/** Starts the process of a server or connects to its URL; loads the transport on demand. */
export async function openChannel(
  settings: ServerSettings,
  server: ConnectedServer,
  events: ChannelEvents,
): Promise<Channel> {
  const { transport } = settings;
  if (transport.kind === "stdio") {
    const { openStdioChannel } = await import("./stdio/stdio-channel.ts");
    return openStdioChannel(settings, transport, server.host.guard, events);
  }
  if (transport.kind === "scripts") {
    const { openScripts } = server.host;
    if (openScripts === undefined) throw new Error("saved scripts cannot be used here");
    const onProblem = (problem: string): void =>
      server.host.log.warn(`script left out: ${problem}`, server.place);
    return openScripts(transport.folder, events, onProblem);
  }
  const { openRemoteChannel } = await import("./http/remote-channel.ts");
  return openRemoteChannel(settings, transport, events);
}
