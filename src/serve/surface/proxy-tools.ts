import type { Destination } from "../../calls/destination.ts";
import { type Outcome, result } from "../../calls/outcome.ts";
import type { Workbench } from "../../workbench/workbench.ts";
import type { ServedCall, ServedClient } from "../served-client.ts";
import { hasUiSupport, uiCall } from "../apps/ui-client.ts";
import { proxyTextsWithPages, proxyToolTexts } from "./proxy-lists.ts";
import { openToolbox } from "./open-toolbox.ts";
import { readTool } from "./read-tool.ts";
import { refuseDirectCall } from "./refuse-use-tool.ts";
import { knownTo } from "./seen-tools.ts";
import { commonTools } from "./common-tools.ts";
import { ToolListNotifier } from "./tool-list-notifier.ts";
import type { MetaToolRoute, ToolSurface } from "./tool-surface.ts";
import { blockedTool } from "./unlisted-tool.ts";
import { useTool } from "./use-tool.ts";

/**
 * toolMode "proxy": a few meta-tools give access to all tools. The list changes only for clients that
 * support pages.
 */
export class ProxyTools implements ToolSurface {
  readonly mode = "proxy";
  readonly metaTools: ReadonlyMap<string, MetaToolRoute>;
  readonly #workbench: Workbench;
  readonly #scope: ServedClient["scope"];
  readonly #principal: ServedClient["principal"];
  readonly #notifier: ToolListNotifier;
  /** The session that has listed tools with pages; undefined if the client does not support them. */
  #session: ServedClient | undefined;

  constructor(
    workbench: Workbench,
    scope: ServedClient["scope"],
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

  list(client: ServedClient): Destination {
    if (hasUiSupport(client)) return { answer: () => this.#listWithPages(client) };
    return {
      answer: () => {
        const texts = this.#texts();
        this.#notifier.onSent(texts);
        return result(`{"tools":[${texts.join(",")}]}`);
      },
    };
  }

  async call(client: ServedClient, name: string, { request }: ServedCall): Promise<Destination> {
    const called = await uiCall(client, name);
    if (called !== undefined) return called;
    const blocked = hasUiSupport(client) ? blockedTool(client, name) : undefined;
    if (blocked !== undefined) return blocked;
    return refuseDirectCall(
      request,
      name,
      client.scope,
      knownTo(client, this.#workbench.catalogues),
    );
  }

  onToolsChanged(): void {
    // See `onLearned`.
  }

  /** The meta-tools do not depend on what the servers offer. */
  onLearned(): void {
    if (this.#session !== undefined) void this.#updateWithPages(this.#session);
  }

  onSurfaceChanging(): void {
    this.#notifier.snapshot(() => this.#texts());
  }

  onSurfaceChanged(): void {
    if (this.#session === undefined) this.#notifier.update(this.#texts());
    else void this.#updateWithPages(this.#session);
  }

  async #listWithPages(client: ServedClient): Promise<Outcome> {
    if (client.era === "legacy") this.#session = client;
    const texts = await proxyTextsWithPages(this.#workbench, client);
    this.#notifier.onSent(texts);
    return result(`{"tools":[${texts.join(",")}]}`);
  }

  async #updateWithPages(client: ServedClient): Promise<void> {
    this.#notifier.update(await proxyTextsWithPages(this.#workbench, client));
  }

  #texts(): string[] {
    return proxyToolTexts(this.#scope, this.#workbench.settings, this.#principal);
  }
}
