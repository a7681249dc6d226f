import { type Destination, answered } from "../../calls/destination.ts";
import type { ToolIdentifier } from "../../calls/identifier.ts";
import { type Outcome, failure, result, textResult } from "../../calls/outcome.ts";
import { isWorkbenchError, workbenchError } from "../../errors.ts";
import { parseToolName } from "../../toolboxes/native-names.ts";
import { inexactKey, shapeOf } from "../../wire/exact-keys.ts";
import type { IncomingRequest } from "../../wire/messages.ts";
import { findServer, findToolbox } from "../../workbench/find.ts";
import {
  USE_TOOL_KEYS,
  parseOpenToolbox,
  parseUseTool,
  refuseInput,
  readUsedTool,
  withoutAlias,
} from "../../workbench/meta-tools/input.ts";
import {
  USE_TOOL,
  openToolboxTool,
  searchToolsTool,
} from "../../workbench/meta-tools/definitions.ts";
import { openToolboxText, unreachable } from "../../workbench/meta-tools/open-toolbox.ts";
import type { Scope } from "../../workbench/scopes.ts";
import type { Workbench } from "../../workbench/workbench.ts";
import type { ServedClient } from "../served-client.ts";
import { searchTools } from "./search.ts";
import { ToolListNotifier } from "./tool-list-notifier.ts";
import type { ToolSurface } from "./tool-surface.ts";

const USE_TOOL_REQUEST = shapeOf(["params"], {
  params: shapeOf(["arguments"], { arguments: USE_TOOL_KEYS }),
});

/** The tool list in toolMode "proxy"; it depends only on the configuration. */
export function proxyToolTexts(scope: Scope): string[] {
  const boxes = Array.from(scope.values(), (toolbox) => toolbox.settings);
  const tools = [searchToolsTool("proxy"), openToolboxTool(boxes), USE_TOOL];
  return tools.map((tool) => JSON.stringify(tool));
}

/** toolMode "proxy": a few meta-tools give access to all tools, and the list never changes. */
export class ProxyTools implements ToolSurface {
  readonly mode = "proxy";
  readonly #workbench: Workbench;
  readonly #scope: Scope;
  readonly #notifier: ToolListNotifier;

  constructor(workbench: Workbench, scope: Scope, changed: () => void) {
    this.#workbench = workbench;
    this.#scope = scope;
    this.#notifier = new ToolListNotifier(changed);
  }

  list(): Destination {
    return {
      answer: () => {
        const texts = proxyToolTexts(this.#scope);
        this.#notifier.onSent(texts);
        return result(`{"tools":[${texts.join(",")}]}`);
      },
    };
  }

  call(requester: ServedClient, request: IncomingRequest): Destination | Promise<Destination> {
    const used = request.plain?.name === "use_tool" ? readUsedTool(request.plain) : undefined;
    if (used !== undefined) return useTool(requester, used);
    const { arguments: input } = request.params;
    const name = request.params["name"] as string;
    if (name === "use_tool") return routeUseTool(requester, request, input);
    if (name === "search_tools") return searchTools(this.#workbench, requester, input);
    if (name === "open_toolbox")
      return { answer: () => this.#openToolbox(requester, withoutAlias(input)) };
    return answered(unknownTool(name));
  }

  onToolsChanged(): void {
    // The meta-tools do not depend on what the servers offer.
  }

  onSurfaceChanging(): void {
    this.#notifier.snapshot(() => proxyToolTexts(this.#scope));
  }

  onSurfaceChanged(): void {
    this.#notifier.update(proxyToolTexts(this.#scope));
  }

  async #openToolbox(requester: ServedClient, input: unknown): Promise<Outcome> {
    const parsed = parseOpenToolbox(input);
    if (parsed === undefined) return failure(await refuseInput("open_toolbox", input));
    const toolbox = findToolbox(requester.scope, parsed.toolbox);
    if (isWorkbenchError(toolbox)) return failure(toolbox);
    const opened = await toolbox.open((server) => requester.connect(server));
    const problem = unreachable(toolbox, opened);
    if (problem !== undefined) return failure(problem);
    const text = await openToolboxText(toolbox, opened, {
      detail: parsed.detail,
      budgetTokens: this.#workbench.settings.openBudgetTokens,
    });
    return textResult(text);
  }
}

function routeUseTool(
  requester: ServedClient,
  request: IncomingRequest,
  input: unknown,
): Destination | Promise<Destination> {
  const inexact = inexactKey(request.text, USE_TOOL_REQUEST);
  if (inexact !== undefined)
    return answered(failure(workbenchError("INVALID_PARAMETERS", inexact)));
  const tool = parseUseTool(input);
  if (tool !== undefined) return useTool(requester, tool);
  return refuseInput("use_tool", input).then((error) => answered(failure(error)));
}

function useTool(requester: ServedClient, tool: ToolIdentifier): Destination {
  const server = findServer(requester.scope, tool);
  if (isWorkbenchError(server)) return answered(failure(server));
  return { server, tool, argumentsAt: "params.arguments.arguments" };
}

function unknownTool(name: string): Outcome {
  const tool = parseToolName(name);
  const hint =
    tool === null
      ? "Find a tool with search_tools or open_toolbox and call it with use_tool"
      : `Call use_tool with ${JSON.stringify({ tool })}`;
  const { rpcError } = workbenchError("UNKNOWN_TOOL", { name }, hint);
  return { kind: "refusal", error: rpcError };
}
