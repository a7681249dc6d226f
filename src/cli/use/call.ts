import { text as readAll } from "node:stream/consumers";

import { reasonOf, workbenchError } from "../../errors.ts";
import type { ToolIdentifier } from "../../calls/identifier.ts";
import { type JsonObject, isObject } from "../../wire/messages.ts";
import { findServer, orThrow } from "../../workbench/find.ts";
import type { Context } from "../core/command.ts";
import { Progress } from "../output/progress.ts";
import { safeLine } from "../../text/safe-text.ts";
import { withoutAdHocNames, commandFor } from "./ad-hoc.ts";
import { argumentsFrom } from "./call-arguments.ts";
import { handlersOf, progressLines, refusedBy, showResult } from "./call-output.ts";
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
        return callTool(context, use, { tool, words, help }, progress);
      },
      handlersOf(context, () => server, progress),
    ),
  );
}

interface WantedCall {
  readonly tool: ToolIdentifier;
  readonly words: readonly string[];
  /** Refers to the description of the tool. */
  readonly help: string;
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
    const connection = await client.connect(server);
    const listed = seenTool(workbench, server, connection, tool.name);
    const json = await argumentsJson(context, wanted, listed.value["inputSchema"]);
    step.update(`calling ${safeLine(tool.name)}`);
    const onProgress = progressLines(out, step.update);
    const { text, result } = await client
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

/** The arguments as JSON; the text of `--args` is passed on unchanged. */
async function argumentsJson(
  { args, signal }: Context,
  { words, help }: WantedCall,
  schema: unknown,
): Promise<string> {
  const given = args.text("args");
  const json = given === "-" ? await readAll(process.stdin) : given;
  signal.throwIfAborted();
  const parsed = json === undefined ? {} : parseObject(json);
  if (words.length === 0 && json !== undefined) return json;
  return JSON.stringify(argumentsFrom(words, schema, parsed, help));
}

function parseObject(json: string): JsonObject {
  let problem = "it is not an object";
  try {
    const value: unknown = JSON.parse(json);
    if (isObject(value)) return value;
  } catch (error) {
    problem = reasonOf(error);
  }
  throw workbenchError("USAGE", { reason: `--args takes a JSON object: ${problem}` });
}
