import { findServers } from "../../clients/read.ts";
import { clientLabel } from "../../clients/table.ts";
import type { Context } from "../core/command.ts";
import { hostInfo } from "../core/host-info.ts";
import { type ConfigEntry, entryLabel } from "./config-entry.ts";

/** Warns of clients that see only the toolbox or server that is renamed: they know its old name. */
export async function warnOfViews(context: Context, entry: ConfigEntry): Promise<void> {
  const { out, cwd } = context;
  const option = entry.server === undefined ? "--toolbox" : "--server";
  const name = entryLabel(entry);
  const isView = (args: readonly string[]): boolean =>
    args.includes(`${option}=${name}`) ||
    args.some((word, index) => word === option && args[index + 1] === name);
  for (const { client, servers } of await findServers({ host: hostInfo(context), project: cwd }))
    if (servers.some((one) => one.isWorkbench && isView(one.entry?.args ?? [])))
      out.warn(
        `${clientLabel(client)} still asks for '${name}' (${option}); install it there again`,
      );
}
