import { findServers } from "../../clients/read.ts";
import { clientLabel } from "../../clients/table.ts";
import { loadConfig } from "../../config/load.ts";
import type { WorkbenchSettings } from "../../config/types.ts";
import { EXIT, type WorkbenchError, isWorkbenchError } from "../../errors.ts";
import { shellWords } from "../../text/shell-words.ts";
import { visible } from "../../text/visible.ts";
import { VERSION } from "../../version.ts";
import type { Context } from "../core/command.ts";
import { columns } from "../output/layout.ts";
import { safeText } from "../../text/safe-text.ts";
import { serversIn } from "../../workbench/scopes.ts";
import { sizeOf } from "../core/settings.ts";
import { existingConfig } from "./config-file.ts";
import { hostInfo, shortPath } from "../core/host-info.ts";

/** The program without a command, in a terminal: shows the current setup and the next step. */
export async function overview(context: Context): Promise<number> {
  const { args, out, env, cwd } = context;
  const { bold, dim } = out.style;
  const host = hostInfo(context);
  const file = existingConfig(context);
  // The files decide, not the records of past installations.
  const having = (await findServers({ host, project: cwd })).filter(({ servers }) =>
    servers.some(({ isWorkbench }) => isWorkbench),
  );
  const clients = [...new Set(having.map(({ client }) => clientLabel(client)))];
  out.print(bold(`MCP Workbench ${VERSION}`));
  let broken: WorkbenchError | undefined;
  let settings: WorkbenchSettings | undefined;
  if (file !== undefined) {
    try {
      settings = await loadConfig({ file: args.text("config"), env, cwd });
      out.hide(settings.secrets);
    } catch (error) {
      if (!isWorkbenchError(error)) throw error;
      broken = error;
    }
  }
  const rows = [
    ["Configuration", file === undefined ? "none yet" : visible(shortPath(file, host))],
    ...(settings === undefined ? [] : [["", dim(sizeOf(settings))]]),
    ["Installed in", clients.length === 0 ? "no client yet" : clients.join(", ")],
  ];
  const toolboxes = settings?.toolboxes.size ?? 0;
  const servers = settings === undefined ? 0 : serversIn(settings.toolboxes).length;
  const next = nextStep({ file, broken, servers, clients: clients.length });
  out.document({ version: VERSION, config: file ?? null, toolboxes, servers, clients, next });
  out.print(columns(rows, "", out.tableWidth));
  if (broken !== undefined) out.print(`\n${safeText(broken.message)}`);
  out.print(`\n${bold("Next:")} ${next}`);
  out.print(dim("All commands: mcp-workbench --help"));
  return broken === undefined ? EXIT.ok : EXIT.config;
}

interface Situation {
  readonly file: string | undefined;
  readonly broken: WorkbenchError | undefined;
  readonly servers: number;
  readonly clients: number;
}

function nextStep({ file, broken, servers, clients }: Situation): string {
  if (file === undefined) return "mcp-workbench init";
  if (broken?.code === "CONFIG_NOT_TRUSTED")
    return `review it, then mcp-workbench trust --config ${shellWords([visible(file)])}`;
  if (broken !== undefined) return "fix the configuration, then mcp-workbench doctor";
  if (servers === 0) return "mcp-workbench add NAME -- COMMAND";
  return clients === 0 ? "mcp-workbench install CLIENT" : "mcp-workbench doctor";
}
