import { findServers } from "../../clients/read.ts";
import { servedView } from "../../clients/served-view.ts";
import { clientLabel } from "../../clients/table.ts";
import { visible } from "../../text/visible.ts";
import type { Context } from "../core/command.ts";
import { hostInfo } from "../core/host-info.ts";

/**
 * Warns of clients that see only a toolbox or a server that the configuration no longer has, by the
 * names `TOOLBOX` and `TOOLBOX/SERVER`.
 */
export async function warnOfViews(context: Context, gone: ReadonlySet<string>): Promise<void> {
  const { out, cwd } = context;
  for (const { client, servers } of await findServers({ host: hostInfo(context), project: cwd })) {
    const lost = new Set<string>();
    for (const { isWorkbench, entry } of servers) {
      const { toolboxes, server } = servedView((isWorkbench && entry?.args) || []);
      for (const name of toolboxes) if (gone.has(name)) lost.add(`'${name}' (--toolbox)`);
      if (server !== undefined && gone.has(server)) lost.add(`'${server}' (--server)`);
    }
    for (const view of lost)
      out.warn(`${clientLabel(client)} still asks for ${visible(view)}; install it there again`);
  }
}
