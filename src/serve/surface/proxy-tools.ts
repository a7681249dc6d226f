import type { Destination } from "../../calls/destination.ts";
import { result } from "../../calls/outcome.ts";
import type { IncomingRequest } from "../../wire/messages.ts";
import { listedText, offersScripts, proxyTools } from "../../workbench/meta-tools/definitions.ts";
import type { Scope } from "../../workbench/scopes.ts";
import type { Workbench } from "../../workbench/workbench.ts";
import type { ServedClient } from "../served-client.ts";
import { openToolbox } from "./open-toolbox.ts";
import { readTool } from "./read-tool.ts";
import { refuseDirectCall } from "./refuse-use-tool.ts";
import { knownTo } from "./seen-tools.ts";
import { commonTools } from "./common-tools.ts";
import { ToolListNotifier } from "./tool-list-notifier.ts";
import type { MetaToolRoute, ToolSurface } from "./tool-surface.ts";
import { useTool } from "./use-tool.ts";

/** The tool list in toolMode "proxy"; it depends only on the configuration. */
export function proxyToolTexts(
  scope: Scope,
  { readTool: offered, scripts }: Workbench["settings"],
  principal: ServedClient["principal"],
): string[] {
  const boxes = Array.from(scope.values(), (toolbox) => toolbox.settings);
  const hasScripts = offersScripts(scripts, principal);
  return proxyTools(boxes, offered, hasScripts).map((tool) => listedText(tool, boxes));
}

/** toolMode "proxy": a few meta-tools give access to all tools, and the list never changes. */
export class ProxyTools implements ToolSurface {
  readonly mode = "proxy";
  readonly metaTools: ReadonlyMap<string, MetaToolRoute>;
  readonly #workbench: Workbench;
  readonly #scope: Scope;
  readonly #principal: ServedClient["principal"];
  readonly #notifier: ToolListNotifier;

  constructor(
    workbench: Workbench,
    scope: Scope,
    principal: ServedClient["principal"],
    changed: () => void,
  ) {
    this.metaTools = new Map<string, MetaToolRoute>([
      ...commonTools(workbench),
      ["open_toolbox", openToolbox(workbench)],
      ["use_tool", useTool(workbench.catalogues)],
      ["read_tool", readTool(workbench)],
    ]);
    this.#workbench = workbench;
    this.#scope = scope;
    this.#principal = principal;
    this.#notifier = new ToolListNotifier(changed);
  }

  list(): Destination {
    return {
      answer: () => {
        const texts = this.#texts();
        this.#notifier.onSent(texts);
        return result(`{"tools":[${texts.join(",")}]}`);
      },
    };
  }

  call(client: ServedClient, name: string, request: IncomingRequest): Promise<Destination> {
    return refuseDirectCall(
      request,
      name,
      client.scope,
      knownTo(client, this.#workbench.catalogues),
    );
  }

  onToolsChanged(): void {
    // The meta-tools do not depend on what the servers offer.
  }

  onSurfaceChanging(): void {
    this.#notifier.snapshot(() => this.#texts());
  }

  onSurfaceChanged(): void {
    this.#notifier.update(this.#texts());
  }

  #texts(): string[] {
    return proxyToolTexts(this.#scope, this.#workbench.settings, this.#principal);
  }
}
