import { isWorkbenchError, workbenchError } from "../errors.ts";
import { parseToolName } from "../toolboxes/native-names.ts";
import type { IncomingRequest } from "../wire/messages.ts";
import { acceptToolbox, acceptUseTool, refuseInput, withoutAlias } from "../workbench/input.ts";
import { USE_TOOL, openToolboxTool } from "../workbench/meta-tools.ts";
import { openToolboxText, unreachable } from "../workbench/open-toolbox.ts";
import { findServer, findToolbox } from "../workbench/workbench.ts";
import type { Session } from "./session.ts";
import { type ToolSurface, callTool } from "./tool-surface.ts";

/** toolMode "proxy": a few meta-tools stand for all tools, and the list never changes. */
export class ProxyTools implements ToolSurface {
  readonly #session: Session;

  constructor(session: Session) {
    this.#session = session;
  }

  list(): string {
    const boxes = Array.from(this.#session.scope.values(), (toolbox) => toolbox.settings);
    return [openToolboxTool(boxes), USE_TOOL].map((tool) => JSON.stringify(tool)).join(",");
  }

  call(request: IncomingRequest): void {
    const { name, arguments: input } = request.params;
    if (name === "use_tool") this.#useTool(request, input);
    else if (name === "open_toolbox") void this.#openToolbox(request, withoutAlias(input));
    else this.#unknown(request, name);
  }

  toolsChanged(): void {
    // The meta-tools do not depend on what the servers offer.
  }

  #useTool(request: IncomingRequest, input: unknown): void {
    const tool = acceptUseTool(input);
    if (tool === undefined) {
      void refuseInput("use_tool", input).then((error) => this.#session.toolError(request.idText, error));
      return;
    }
    const server = findServer(this.#session.scope, tool);
    if (isWorkbenchError(server)) this.#session.toolError(request.idText, server);
    else callTool(this.#session, request, server, tool, "params.arguments.arguments");
  }

  async #openToolbox(request: IncomingRequest, input: unknown): Promise<void> {
    const name = acceptToolbox(input);
    const toolbox =
      name === undefined
        ? await refuseInput("open_toolbox", input)
        : findToolbox(this.#session.scope, name);
    if (isWorkbenchError(toolbox)) {
      this.#session.toolError(request.idText, toolbox);
      return;
    }
    const opened = await toolbox.open(this.#session.profile);
    const problem = unreachable(toolbox, opened);
    if (problem !== undefined) this.#session.toolError(request.idText, problem);
    else
      this.#session.reply(request, {
        content: [{ type: "text", text: openToolboxText(toolbox, opened) }],
      });
  }

  #unknown(request: IncomingRequest, name: unknown): void {
    const tool = typeof name === "string" ? parseToolName(name) : null;
    const hint =
      tool === null
        ? "Open a toolbox with open_toolbox and call its tools with use_tool"
        : `Call use_tool with ${JSON.stringify({ tool })}`;
    this.#session.fail(request, workbenchError("UNKNOWN_TOOL", { name: String(name) }, hint));
  }
}
