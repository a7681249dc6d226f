import { workbenchError } from "../../errors.ts";
import type { ToolIdentifier } from "../../calls/identifier.ts";
import { findServer, orThrow } from "../../workbench/find.ts";
import type { Context } from "../core/command.ts";
import { Progress } from "../output/progress.ts";
import { safeLine } from "../../text/safe-text.ts";
import { withoutAdHocNames, commandFor } from "./ad-hoc.ts";
import { argumentsJson } from "./arguments-json.ts";
import { handlersOf, progressLines, refusedBy, showResult } from "./call-output.ts";
import { type SharedClient, sharedClient } from "./running-shared.ts";
import { seenTool } from "./seen-tools.ts";
import { findTool } from "./short-names.ts";
import { type Target, findTarget } from "./target.ts";
import { type Use, withWorkbench } from "./with-workbench.ts";

/** `call toolbox/server/tool name=value …`, `call URL tool …`, `call tool … -- command args…` */
export async function call(context: Context): Promise<number> {
  const { out } = context;
  const target = await findTarget(context);
  const progress = new Progress(out);
  let server = "";
  const handlers = handlersOf(context, () => server, progress);
  return withoutAdHocNames(target, () =>
    withWorkbench(
      context,
      target.settings,
      async (use) => {
        const { tool: named, words } = whatToCall(target, use.client.scope);
        const tool =
          typeof named === "string" ? await findTool(named, use.workbench, progress) : named;
        ({ server } = tool);
        if (typeof named === "string")
          out.say(out.noteStyle.dim(`${tool.toolbox}/${tool.server}/${safeLine(tool.name)}`));
        const { before, after = "" } = commandFor("list", tool.name, { ...target, path: tool });
        const help = `See mcp-workbench ${before} ${after}`.trimEnd();
        const shared = await sharedClient(context, target.settings, handlers);
        try {
          return await callTool(context, use, { tool, words, help, shared }, progress);
        } finally {
          shared?.close();
        }
      },
      handlers,
    ),
  );
}

interface WantedCall {
  readonly tool: ToolIdentifier;
  readonly words: readonly string[];
  /** Refers to the description of the tool. */
  readonly help: string;
  /** Set if a shared workbench is running, which has the server. */
  readonly shared: SharedClient | undefined;
}

/** The tool and its arguments; a short name still has to be looked up. */
function whatToCall(
  { path, words, isAdHoc, first }: Target,
  scope: Use["client"]["scope"],
): {
  readonly tool: ToolIdentifier | string;
  readonly words: readonly string[];
} {
  const { toolbox, server } = path;
  const [named, ...others] = words;
  const name = isAdHoc ? named : path.tool;
  const isWhole = toolbox !== undefined && server !== undefined && name !== undefined;
  if (isWhole && !name.includes("="))
    return { tool: { toolbox, server, name }, words: isAdHoc ? others : words };
  const isServer = scope.get(toolbox ?? "")?.servers.has(server ?? "") === true;
  if (!isAdHoc && !isServer && first !== "" && !first.includes("=")) return { tool: first, words };
  const reason = isAdHoc ? "Name the tool to call" : "Write the tool as toolbox/server/tool";
  const hint = isServer
    ? `Its tools: mcp-workbench list ${first}`
    : "See mcp-workbench call --help";
  throw workbenchError("USAGE", { reason }, hint);
}

async function callTool(
  context: Context,
  { workbench, client }: Use,
  wanted: WantedCall,
  progress: Progress,
): Promise<number> {
  const { args, out, signal } = context;
  const { tool } = wanted;
  const server = orThrow(findServer(client.scope, tool));
  const step = progress.start(`connecting ${tool.toolbox}/${tool.server}`);
  try {
    // A running workbench has recorded the tools of its servers.
    const known = wanted.shared && (await workbench.catalogues.load(server));
    const source = known ?? (await client.connect(server));
    const listed = seenTool(workbench, server, source, tool.name);
    const json = await argumentsJson(context, wanted, listed.value["inputSchema"]);
    step.update(`calling ${safeLine(tool.name)}`);
    const onProgress = progressLines(out, step.update);
    const caller = known === undefined ? client : (wanted.shared ?? client);
    const { text, result } = await caller
      .callTool(tool, json, { signal, onProgress })
      .catch((error: unknown) => {
        throw refusedBy(tool, error) ?? error;
      });
    step.end();
    return await showResult(text, result, tool.name, { out, folder: args.text("output") });
  } finally {
    step.end();
  }
}
