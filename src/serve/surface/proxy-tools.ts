import { isWorkbenchError, workbenchError } from "../../errors.ts";
import type { ToolIdentifier } from "../../toolboxes/identifier.ts";
import { parseToolName } from "../../toolboxes/native-names.ts";
import { inexactKey, shapeOf } from "../../wire/exact-keys.ts";
import type { IncomingRequest } from "../../wire/messages.ts";
import { findServer, findToolbox } from "../../workbench/find.ts";
import {
  USE_TOOL_KEYS,
  acceptOpenToolbox,
  acceptUseTool,
  refuseInput,
  usedTool,
  withoutAlias,
} from "../../workbench/input.ts";
import { USE_TOOL, openToolboxTool, searchToolsTool } from "../../workbench/meta-tools.ts";
import { openToolboxText, unreachable } from "../../workbench/open-toolbox.ts";
import type { Scope } from "../../workbench/scopes.ts";
import type { Workbench } from "../../workbench/workbench.ts";
import { callTool } from "../forward.ts";
import type { Requester } from "../requester.ts";
import { searchTools } from "./search.ts";
import { ShownTools } from "./shown-tools.ts";
import { answerLater } from "./surface.ts";
import type { ToolSurface } from "./tool-surface.ts";

const USE_TOOL_REQUEST = shapeOf(["params"], {
  params: shapeOf(["arguments"], { arguments: USE_TOOL_KEYS }),
});

/** What is listed in toolMode "proxy"; it depends on the configuration alone. */
export function proxyToolTexts(scope: Scope): string[] {
  const boxes = Array.from(scope.values(), (toolbox) => toolbox.settings);
  const tools = [searchToolsTool("proxy"), openToolboxTool(boxes), USE_TOOL];
  return tools.map((tool) => JSON.stringify(tool));
}

/** toolMode "proxy": a few meta-tools stand for all tools, and the list never changes. */
export class ProxyTools implements ToolSurface {
  readonly mode = "proxy";
  readonly #workbench: Workbench;
  readonly #scope: Scope;
  readonly #shown: ShownTools;

  constructor(workbench: Workbench, scope: Scope, changed: () => void) {
    this.#workbench = workbench;
    this.#scope = scope;
    this.#shown = new ShownTools(changed);
  }

  list(requester: Requester, request: IncomingRequest): void {
    const texts = proxyToolTexts(this.#scope);
    this.#shown.given(texts);
    requester.replyText(request, `{"tools":[${texts.join(",")}]}`);
  }

  call(requester: Requester, request: IncomingRequest): void {
    const used = request.plain?.name === "use_tool" ? usedTool(request.plain) : undefined;
    if (used !== undefined) {
      this.#callTool(requester, request, used);
      return;
    }
    const { name, arguments: input } = request.params;
    if (name === "use_tool") this.#useTool(requester, request, input);
    else if (name === "search_tools") searchTools(this.#workbench, requester, request);
    else if (name === "open_toolbox")
      answerLater(requester, request, this.#openToolbox(requester, request, withoutAlias(input)));
    else this.#unknown(requester, request, name);
  }

  toolsChanged(): void {
    // The meta-tools do not depend on what the servers offer.
  }

  surfaceChanging(): void {
    this.#shown.before(() => proxyToolTexts(this.#scope));
  }

  surfaceChanged(): void {
    this.#shown.now(proxyToolTexts(this.#scope));
  }

  #useTool(requester: Requester, request: IncomingRequest, input: unknown): void {
    const inexact = inexactKey(request.text, USE_TOOL_REQUEST);
    if (inexact !== undefined) {
      requester.toolError(request, workbenchError("INVALID_PARAMETERS", inexact));
      return;
    }
    const tool = acceptUseTool(input);
    if (tool === undefined) {
      const refused = refuseInput("use_tool", input);
      const told = refused.then((error) => requester.toolError(request, error));
      answerLater(requester, request, told);
      return;
    }
    this.#callTool(requester, request, tool);
  }

  #callTool(requester: Requester, request: IncomingRequest, tool: ToolIdentifier): void {
    const server = findServer(requester.scope, tool);
    if (isWorkbenchError(server)) requester.toolError(request, server);
    else callTool(requester, request, server, tool, "params.arguments.arguments");
  }

  async #openToolbox(
    requester: Requester,
    request: IncomingRequest,
    input: unknown,
  ): Promise<void> {
    const wanted = acceptOpenToolbox(input);
    const toolbox =
      wanted === undefined
        ? await refuseInput("open_toolbox", input)
        : findToolbox(requester.scope, wanted.toolbox);
    if (isWorkbenchError(toolbox)) {
      requester.toolError(request, toolbox);
      return;
    }
    const opened = await toolbox.open((server) => requester.connect(server));
    const problem = unreachable(toolbox, opened);
    if (problem !== undefined) {
      requester.toolError(request, problem);
      return;
    }
    const text = await openToolboxText(toolbox, opened, {
      detail: wanted?.detail,
      budgetTokens: this.#workbench.settings.openBudgetTokens,
    });
    requester.reply(request, { content: [{ type: "text", text }] });
  }

  #unknown(requester: Requester, request: IncomingRequest, name: unknown): void {
    const tool = typeof name === "string" ? parseToolName(name) : null;
    const hint =
      tool === null
        ? "Find a tool with search_tools or open_toolbox and call it with use_tool"
        : `Call use_tool with ${JSON.stringify({ tool })}`;
    const error = workbenchError("UNKNOWN_TOOL", { name: String(name) }, hint);
    requester.refuse(request, error.rpcError);
  }
}
