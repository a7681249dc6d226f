import { readRecords } from "../../clients/journal.ts";
import { CLIENTS } from "../../clients/table.ts";
import { loadConfig } from "../../config/load.ts";
import { EXIT, isWorkbenchError } from "../../errors.ts";
import { VERSION } from "../../version.ts";
import type { Context } from "../command.ts";
import { columns, plural } from "../output/layout.ts";
import { safeText } from "../output/safe-text.ts";
import { existingConfig } from "./config-file.ts";
import { placeOf, shortPath, stateFolder } from "./machine.ts";

/** The program without a command, in a terminal: where things stand and what comes next. */
export async function overview(context: Context): Promise<number> {
  const { out, env, cwd } = context;
  const { bold, dim } = out.style;
  const place = placeOf(context);
  const file = existingConfig(context);
  const installs = await readRecords(stateFolder(context));
  const clients = [...new Set(installs.map(({ client }) => client))].map(
    (client) => CLIENTS.find(({ id }) => id === client)?.label ?? client,
  );
  out.print(bold(`MCP Workbench ${VERSION}`));
  let broken: string | undefined;
  let toolboxes = 0;
  let servers = 0;
  if (file !== undefined) {
    try {
      const settings = await loadConfig({ file, env, cwd });
      toolboxes = settings.toolboxes.size;
      for (const box of settings.toolboxes.values()) servers += box.servers.size;
    } catch (error) {
      if (!isWorkbenchError(error)) throw error;
      broken = error.message;
    }
  }
  const rows = [
    ["Configuration", file === undefined ? "none yet" : shortPath(file, place)],
    ...(file === undefined || broken !== undefined
      ? []
      : [["", dim(`${plural(toolboxes, "toolbox", "toolboxes")}, ${plural(servers, "server")}`)]]),
    ["Installed in", clients.length === 0 ? "no client yet" : clients.join(", ")],
  ];
  const next = nextStep({ file, broken, servers, clients: clients.length });
  out.document({ version: VERSION, config: file ?? null, toolboxes, servers, clients, next });
  out.print(columns(rows));
  if (broken !== undefined) out.print(`\n${safeText(broken)}`);
  out.print(`\n${bold("Next:")} ${next}`);
  out.print(dim("All commands: mcp-workbench --help"));
  return broken === undefined ? EXIT.ok : EXIT.config;
}

interface Standing {
  readonly file: string | undefined;
  readonly broken: string | undefined;
  readonly servers: number;
  readonly clients: number;
}

function nextStep({ file, broken, servers, clients }: Standing): string {
  if (file === undefined) return "mcp-workbench init";
  if (broken !== undefined) return "correct the configuration, then mcp-workbench doctor";
  if (servers === 0) return "mcp-workbench add NAME -- COMMAND";
  return clients === 0 ? "mcp-workbench install CLIENT" : "mcp-workbench doctor";
}
