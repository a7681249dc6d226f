import type { ServerSettings } from "../../config/types.ts";
import { EXIT, workbenchError } from "../../errors.ts";
import type { Workbench } from "../../workbench/workbench.ts";
import type { Context } from "../core/command.ts";
import { columns, plural } from "../output/layout.ts";
import type { Output } from "../output/output.ts";
import { safeLine } from "../../text/safe-text.ts";
import { withoutAdHocNames, commandFor } from "./ad-hoc.ts";
import { type Outcome, connectAll, explainFailure, labelOf } from "./connect.ts";
import { identifierText, knownTools, serversNamed, severalOf, toolsNamed } from "./short-names.ts";
import { seenScope, seenTool, seenTools } from "./seen-tools.ts";
import { type Target, type ToolPath, boxAt, findTarget, serversAt } from "./target.ts";
import { TOOL_HANG, toolReport, renderToolLine, renderToolPage } from "./render-tool.ts";
import { type Use, withWorkbench } from "./with-workbench.ts";

/** `list [toolbox[/server[/tool]]]`, `list URL`, `list -- command args…` */
export async function list(context: Context): Promise<number> {
  const { out } = context;
  const found = await findTarget(context);
  // A server given on the command line may be followed by the name of a tool.
  const [tool, ...surplus] = found.words;
  if (surplus.length > 0 || (tool !== undefined && !found.isAdHoc))
    throw workbenchError("USAGE", { reason: `Unexpected argument '${surplus[0] ?? tool}'` });
  const named = tool === undefined ? found : { ...found, path: { ...found.path, tool } };
  const work = async ({ workbench, client }: Use): Promise<number> => {
    if (named.path.toolbox === undefined) return listToolboxes(workbench, out);
    const target = { ...named, path: await fullPath(named, workbench) };
    const servers = serversAt(workbench, target.path);
    const outcome = await connectAll(client, servers, out);
    const [first] = outcome.failed;
    if (first !== undefined && outcome.connected.length === 0) throw first.error;
    if (target.path.tool !== undefined) return listTool(workbench, target, outcome, out);
    const { description } = boxAt(workbench, target.path.toolbox ?? "").settings;
    return listTools(workbench, target, description, outcome, out);
  };
  return withoutAdHocNames(named, () => withWorkbench(context, named.settings, work));
}

/** The path itself, or what the short name of a server or of a known tool means. */
async function fullPath({ path, first, isAdHoc }: Target, workbench: Workbench): Promise<ToolPath> {
  const { toolbox = "", server } = path;
  const scope = seenScope(workbench);
  const box = scope.get(toolbox);
  if (isAdHoc || (box !== undefined && (server === undefined || box.servers.has(server))))
    return path;
  const servers = serversNamed(first, scope);
  if (servers.length > 1)
    throw severalOf(
      "servers",
      first,
      servers.map(({ label }) => label),
    );
  const [only] = servers;
  if (only !== undefined) return only.path;
  const [tool, ...others] = toolsNamed(first, await knownTools(workbench));
  if (tool === undefined) return path;
  if (others.length > 0) throw severalOf("tools", first, [tool, ...others].map(identifierText));
  return { toolbox: tool.toolbox, server: tool.server, tool: tool.name };
}

function listToolboxes(workbench: Workbench, out: Output): number {
  const { style } = out;
  const boxes = Array.from(seenScope(workbench).values(), ({ settings }) => settings);
  out.document({
    config: workbench.settings.file ?? null,
    toolboxes: boxes.map(({ name, description, servers }) => ({
      name,
      description,
      servers: Array.from(servers.values(), (server) => ({
        name: server.name,
        transport: server.transport.kind,
        disabled: server.disabled,
        ...(server.unavailable !== undefined && { unavailable: server.unavailable }),
      })),
    })),
  });
  for (const { name, description, servers } of boxes) {
    out.print(`${style.bold(name)}  ${safeLine(description)}`);
    const rows = Array.from(servers.values(), (server) => [
      style.cyan(server.name),
      style.dim(safeLine(reachedBy(server))),
      stateOf(server),
    ]);
    if (rows.length > 0) out.print(columns(rows, "  ", out.tableWidth));
  }
  if (boxes.length > 0)
    out.say(`\nList the tools of a toolbox with: mcp-workbench list ${boxes[0]?.name}`);
  else out.say("There are no toolboxes yet. Add a server with: mcp-workbench add NAME -- COMMAND");
  return EXIT.ok;
}

/** The program or host. Arguments are not shown: they may contain secrets. */
function reachedBy({ transport }: ServerSettings): string {
  if (transport.kind === "stdio") return transport.command;
  if (transport.kind === "scripts") return transport.folder;
  return URL.canParse(transport.url) ? new URL(transport.url).host : "a URL";
}

function stateOf({ disabled, unavailable }: ServerSettings): string {
  if (disabled) return "disabled";
  if (unavailable === undefined) return "";
  // The position in the file and the advice are left to `doctor`.
  const [reason = ""] = unavailable.split(/ \(|: /);
  return `not available: ${safeLine(reason)}`;
}

function listTools(
  workbench: Workbench,
  target: Target,
  description: string,
  outcome: Outcome,
  out: Output,
): number {
  const { style } = out;
  const servers = outcome.connected.map(({ server, connection }) => ({
    server,
    tools: [...seenTools(workbench, server, connection.catalogue).tools.values()],
  }));
  out.document({
    toolbox: target.path.toolbox,
    description,
    servers: servers.map(({ server, tools }) => ({
      name: server.name,
      tools: tools.map((tool) => tool.value),
    })),
    failed: outcome.failed.map(({ server, error }) => ({
      server: server.name,
      reason: explainFailure(error).reason,
      lastOutput: explainFailure(error).lastOutput,
    })),
  });
  for (const { server, tools } of servers) {
    const label = target.isAdHoc ? server.name : labelOf(server);
    out.print(`${style.cyan(label)}  ${style.dim(plural(tools.length, "tool"))}`);
    for (const tool of tools) out.print(`  ${renderToolLine(tool, out)}`, TOOL_HANG);
  }
  for (const { server, error } of outcome.failed)
    out.warn(`${labelOf(server)}: ${safeLine(error.reason ?? error.text)}`);
  return EXIT.ok;
}

function listTool(workbench: Workbench, target: Target, outcome: Outcome, out: Output): number {
  const { path, isAdHoc } = target;
  const [first] = outcome.connected;
  if (first === undefined || path.tool === undefined) return EXIT.unexpected;
  const { server, connection } = first;
  const at = server.place;
  const tool = seenTool(workbench, server, connection, path.tool);
  out.document(isAdHoc ? tool.value : toolReport(tool, at));
  out.print(renderToolPage(commandFor("call", path.tool, target), tool, out));
  return EXIT.ok;
}
