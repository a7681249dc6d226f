import { EXIT, type WorkbenchError, workbenchError } from "../../errors.ts";
import { estimateTokens } from "../../text/estimate-tokens.ts";
import {
  type OpenDetail,
  openToolboxText,
  unreachable,
} from "../../workbench/meta-tools/open-toolbox.ts";
import type { ListedTool } from "../../servers/tools/catalogue.ts";
import type { Context } from "../core/command.ts";
import { plural, wrap } from "../output/layout.ts";
import type { Output } from "../output/output.ts";
import { safeLine, safeText } from "../../text/safe-text.ts";
import { connectAll, labelOf } from "./connect.ts";
import { seenScope, seenTools } from "./seen-tools.ts";
import { serversNamed } from "./short-names.ts";
import { boxAt, configuration, serversAt } from "./target.ts";
import { TOOL_HANG, renderToolLine } from "./render-tool.ts";
import { withWorkbench } from "./with-workbench.ts";

/** `open TOOLBOX`: what an agent sees when it opens a toolbox. */
export async function open(context: Context): Promise<number> {
  const { args, out } = context;
  const [name = ""] = args.words;
  const detail = readDetail(args.text("detail"));
  const settings = await configuration(context);
  return withWorkbench(context, settings, async ({ workbench, client }) => {
    const scope = seenScope(workbench);
    const [server] = scope.has(name) ? [] : serversNamed(name, scope);
    if (server !== undefined) throw isAServer(name, server.path.toolbox);
    const toolbox = boxAt(workbench, name);
    const outcome = await connectAll(client, serversAt(workbench, { toolbox: name }), out);
    const opened = {
      connected: outcome.connected.map(({ server, connection: { catalogue, hello } }) => {
        return {
          server,
          connection: { catalogue: seenTools(workbench, server, catalogue), hello },
        };
      }),
      failed: outcome.failed.map(({ server, error }) => ({
        server: server.name,
        reason: error.reason ?? error.text,
      })),
    };
    const problem = unreachable(toolbox, opened);
    if (problem !== undefined) throw problem;
    const budgetTokens = settings.openBudgetTokens;
    const answer = await openToolboxText(toolbox, opened, { detail, budgetTokens });
    out.documentText(workbench.host.redact(answer));
    const { style } = out;
    out.print(`${style.bold(name)}  ${safeLine(toolbox.settings.description)}`);
    for (const { server, connection } of opened.connected) {
      const tools = [...connection.catalogue.tools.values()];
      out.print(`\n${style.cyan(labelOf(server))}  ${style.dim(plural(tools.length, "tool"))}`);
      const { instructions = "" } = connection.hello;
      if (instructions !== "") out.print(wrap(safeText(instructions), out.width, "  "));
      for (const tool of tools) out.print(`  ${lineOf(tool, detail, out)}`, TOOL_HANG);
    }
    for (const { server, reason } of opened.failed)
      out.warn(`${name}/${server}: ${safeLine(reason)}`);
    out.say(`\nOpening it costs an agent about ${plural(estimateTokens(answer), "token")}.`);
    return EXIT.ok;
  });
}

function isAServer(name: string, toolbox: string): WorkbenchError {
  const hint = `'${name}' is a server in toolbox '${toolbox}': mcp-workbench open ${toolbox}`;
  return workbenchError("TOOLBOX_NOT_FOUND", { toolbox: name }, hint);
}

/** A tool as the agent sees it, in one line. */
function lineOf(tool: ListedTool, detail: OpenDetail | undefined, out: Output): string {
  if (detail === "names") return out.style.bold(safeLine(tool.name));
  return renderToolLine(tool, out);
}

const DETAILS: readonly OpenDetail[] = ["full", "signatures", "names"];

function readDetail(text: string | undefined): OpenDetail | undefined {
  const detail = DETAILS.find((known) => known === text);
  if (text === undefined || detail !== undefined) return detail;
  throw workbenchError("USAGE", { reason: `--detail takes ${DETAILS.join(", ")}` });
}
