/** What makes a shared workbench visible to other programs, loaded after its first client is served. */
export { openLinkChannel } from "../../workbench/link-channel.ts";
export { presenceFolder, publishPresence, statusOf } from "../../workbench/presence.ts";
