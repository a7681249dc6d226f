import type { Destination } from "../../calls/destination.ts";
import { result } from "../../calls/outcome.ts";
import type { Connection } from "../../servers/connection/connection.ts";
import type { Server } from "../../servers/server.ts";
import { dynamicTools, listedText, offersScripts } from "../../workbench/meta-tools/definitions.ts";
import type { Workbench } from "../../workbench/workbench.ts";
import type { ServedCall, ServedClient } from "../served-client.ts";
import type { NativeTool } from "./native-definitions.ts";
import { type NativeSession, NativeToolboxes } from "./native-toolboxes.ts";
import { uiCall } from "../apps/ui-client.ts";
import { commonTools } from "./common-tools.ts";
import { ToolListNotifier } from "./tool-list-notifier.ts";
import type { MetaToolRoute, ToolSurface } from "./tool-surface.ts";
import { unlistedTool } from "./unlisted-tool.ts";
import { nativeCall } from "./native-call.ts";

/** toolMode "dynamic": the tools of opened toolboxes are listed under native names. */
export class NativeTools implements ToolSurface {
  readonly mode = "dynamic";
  readonly metaTools: ReadonlyMap<string, MetaToolRoute>;
  readonly #session: NativeSession;
  readonly #hasScripts: () => boolean;
  readonly #toolboxes: NativeToolboxes;
  readonly #shown: ToolListNotifier;
  /** The tools of all opened toolboxes by name, for calls. */
  #byName: ReadonlyMap<string, NativeTool> = new Map();

  constructor(workbench: Workbench, session: NativeSession, notifyToolsChanged: () => void) {
    this.#session = session;
    this.#hasScripts = () => offersScripts(workbench.settings.scripts, session.principal);
    const toolboxes = new NativeToolboxes(session, () => this.#publish());
    this.#toolboxes = toolboxes;
    this.metaTools = new Map<string, MetaToolRoute>([
      ...commonTools(workbench),
      [
        "open_toolbox",
        (client, { params }) => ({ answer: () => toolboxes.open(client, params["arguments"]) }),
      ],
      [
        "close_toolbox",
        (client, { params }) => ({ answer: () => toolboxes.close(client, params["arguments"]) }),
      ],
    ]);
    this.#shown = new ToolListNotifier(notifyToolsChanged);
  }

  list(): Destination {
    return {
      answer: () => {
        const texts = this.#texts();
        this.#shown.onSent(texts);
        return result(`{"tools":[${texts.join(",")}]}`);
      },
    };
  }

  call(client: ServedClient, name: string, call: ServedCall): Destination | Promise<Destination> {
    const native = this.#byName.get(name);
    if (native !== undefined) return nativeCall(client, call, native);
    const called = uiCall(client, name, ({ settings: { toolbox } }) => this.#isOpen(toolbox));
    if (called === undefined) return this.#unknown(client, name);
    return called.then((found) => found ?? this.#unknown(client, name));
  }

  #isOpen(toolbox: string): boolean {
    const view = this.#session.scope.get(toolbox);
    return view !== undefined && this.#toolboxes.isOpen(view);
  }

  #unknown(client: ServedClient, name: string): Destination {
    return unlistedTool(client, name, this.#byName, (toolbox) => this.#toolboxes.isOpen(toolbox));
  }

  onToolsChanged(server: Server, connection: Connection): void {
    void this.#toolboxes.onToolsChanged(server, connection);
  }

  onSurfaceChanging(): void {
    this.#shown.snapshot(() => this.#texts());
  }

  onSurfaceChanged(): void {
    void this.#toolboxes.onSurfaceChanged();
  }

  /** Makes the registered tools callable, and notifies the client if the list has changed. */
  #publish(): void {
    this.#shown.snapshot(() => this.#texts());
    this.#byName = this.#toolboxes.tools;
    this.#shown.update(this.#texts());
  }

  #texts(): string[] {
    const toolboxes = this.#toolboxes;
    const boxes = Array.from(this.#session.scope.values(), (toolbox) => toolbox.settings);
    const meta = dynamicTools(boxes, this.#hasScripts());
    const native = Array.from(this.#byName.values()).filter((tool) => toolboxes.isVisible(tool));
    const { showsPages } = this.#session;
    return [
      ...meta.map((tool) => listedText(tool, boxes, showsPages)),
      ...native.map(({ text }) => text),
    ];
  }
}
