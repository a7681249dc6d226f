import { existsSync } from "node:fs";
import { resolve } from "node:path";

import { type FoundFile, findServers, readClientFile, rowForFile } from "../../clients/read.ts";
import { CLIENTS, requireClient } from "../../clients/table.ts";
import { expandHome } from "../../config/directories.ts";
import { workbenchError } from "../../errors.ts";
import type { Context } from "../core/command.ts";
import { hostInfo } from "../core/host-info.ts";

/**
 * The files with servers that a command is to look at: those that `--from` names, else all files of
 * all clients, including the project files of the current folder.
 */
export async function findFiles(context: Context): Promise<readonly FoundFile[]> {
  const host = hostInfo(context);
  const wanted = context.args.list("from");
  if (wanted.length === 0) return await findServers({ host, project: context.cwd });
  const found: FoundFile[] = [];
  for (const from of wanted) {
    const isClient = CLIENTS.some(({ id }) => id === from.toLowerCase());
    const file = resolve(context.cwd, expandHome(from, host.home));
    if (!isClient && existsSync(file)) {
      found.push(await readNamedFile(file));
    } else if (!isClient && /[./\\]/.test(from)) {
      throw workbenchError("USAGE", { reason: `--from names ${file}, which does not exist` });
    } else {
      const clients = [requireClient(from)];
      found.push(...(await findServers({ host, project: context.cwd, clients })));
    }
  }
  return found;
}

/** The user expects servers from a file that is named, not a starter configuration. */
async function readNamedFile(file: string): Promise<FoundFile> {
  const read = await readClientFile(rowForFile(file), file);
  if (read !== undefined && read.servers.length > 0) return read;
  const reason = read?.problem ?? `--from names ${file}, which has no MCP servers`;
  throw workbenchError("USAGE", { reason });
}
