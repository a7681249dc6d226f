import type { ServerSettings } from "../../config/types.ts";
import type { Channel, ChannelEvents } from "./channel.ts";
import type { Guard } from "./stdio/guard.ts";

/** Starts the process of a server or connects to its URL; loads the transport on demand. */
export async function openChannel(
  settings: ServerSettings,
  guard: Guard,
  events: ChannelEvents,
): Promise<Channel> {
  const { transport } = settings;
  if (transport.kind === "stdio") {
    const { openStdioChannel } = await import("./stdio/stdio-channel.ts");
    return openStdioChannel(settings, transport, guard, events);
  }
  const { openRemoteChannel } = await import("./http/remote-channel.ts");
  return openRemoteChannel(settings, transport, events);
}
