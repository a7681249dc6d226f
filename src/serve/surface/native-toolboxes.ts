import { type Outcome, failure, textResult } from "../../calls/outcome.ts";
import { type WorkbenchError, isWorkbenchError } from "../../errors.ts";
import type { Connection } from "../../servers/connection/connection.ts";
import type { Server } from "../../servers/server.ts";
import type { OpenResult } from "../../toolboxes/open.ts";
import type { ToolboxView } from "../../toolboxes/toolbox.ts";
import { findToolbox } from "../../workbench/find.ts";
import {
  parseCloseToolbox,
  parseOpenToolbox,
  withoutAlias,
} from "../../workbench/meta-tools/input.ts";
import { instructionsOf, startingPart } from "../../workbench/meta-tools/open-toolbox.ts";
import { refuseToolbox } from "../../workbench/meta-tools/refuse-toolbox.ts";
import type { Scope } from "../../workbench/scopes.ts";
import type { ServedClient } from "../served-client.ts";
import { connectToolbox } from "./connect-toolbox.ts";
import type { NativeTool } from "./native-definitions.ts";
import { OpenedToolboxes, type ToolViewer } from "./opened-toolboxes.ts";

/** The session that opens toolboxes. */
export interface NativeSession extends ToolViewer {
  readonly scope: Scope;
  readonly principal: ServedClient["principal"];
  connect(server: Server): Promise<Connection>;
  /** Gives up the servers of a toolbox. */
  release(toolbox: ToolboxView): Promise<void>;
}

/** `open_toolbox` and `close_toolbox` in toolMode "dynamic": they add and remove native tools. */
export class NativeToolboxes {
  readonly #session: NativeSession;
  readonly #onChanged: () => void;
  readonly #opened: OpenedToolboxes;
  /** The number of changes of the configuration that are being applied. */
  #reopening = 0;

  /** `onChanged` is called whenever the tools may have changed. */
  constructor(session: NativeSession, onChanged: () => void) {
    this.#session = session;
    this.#onChanged = onChanged;
    this.#opened = new OpenedToolboxes(session);
  }

  /** The tools of all opened toolboxes, by name. */
  get tools(): ReadonlyMap<string, NativeTool> {
    return this.#opened.tools();
  }

  /** Whether the client may see a tool of an opened toolbox at present. */
  isVisible(tool: NativeTool): boolean {
    const { toolbox, server } = tool.id;
    const current = this.#session.scope.get(toolbox)?.servers.get(server);
    return current === tool.server && this.#opened.isVisible(tool);
  }

  isOpen({ name }: ToolboxView): boolean {
    return this.#opened.has(name);
  }

  async open(client: ServedClient, input: unknown): Promise<Outcome> {
    const toolbox = await toolboxIn(client, "open_toolbox", input);
    if (isWorkbenchError(toolbox)) return failure(toolbox);
    const result = await connectToolbox(client, toolbox);
    if (isWorkbenchError(result)) return failure(result);
    const count = await this.#opened.open(toolbox.name, result);
    this.#onChanged();
    this.#addLater(result.starting);
    return jsonResult({
      toolbox: toolbox.name,
      description: toolbox.settings.description,
      servers_connected: result.connected.length,
      tools_registered: count,
      ...startingPart(result),
      ...(result.failed.length > 0 && { servers_failed: result.failed }),
      instructions: instructionsOf([...result.connected, ...result.known]),
    });
  }

  async close(client: ServedClient, input: unknown): Promise<Outcome> {
    const toolbox = await toolboxIn(client, "close_toolbox", input);
    if (isWorkbenchError(toolbox)) return failure(toolbox);
    const count = this.#opened.close(toolbox.name);
    this.#onChanged();
    await this.#session.release(toolbox);
    return jsonResult({ toolbox: toolbox.name, tools_removed: count });
  }

  async onToolsChanged(server: Server, connection: Connection): Promise<void> {
    const isRelisted = await this.#opened.relist(server, connection);
    // A change of the configuration is published once, with everything that it changes.
    if (isRelisted && this.#reopening === 0) this.#onChanged();
  }

  async onSurfaceChanged(): Promise<void> {
    const { scope } = this.#session;
    let starting: OpenResult["starting"];
    this.#reopening++;
    try {
      starting = await this.#opened.reopen(scope, (server) => this.#session.connect(server));
    } finally {
      this.#reopening--;
    }
    this.#onChanged();
    this.#addLater(starting);
  }

  /** Adds the tools of servers that need more time when they are connected. */
  #addLater(starting: OpenResult["starting"]): void {
    for (const { server, connection } of starting)
      connection.then(
        (ready) => this.onToolsChanged(server, ready),
        () => {},
      );
  }
}

/** The toolbox that the input of a meta-tool names. */
async function toolboxIn(
  { scope }: ServedClient,
  metaTool: "open_toolbox" | "close_toolbox",
  given: unknown,
): Promise<ToolboxView | WorkbenchError> {
  const input = withoutAlias(given);
  const parse = metaTool === "open_toolbox" ? parseOpenToolbox : parseCloseToolbox;
  const name = parse(input)?.toolbox;
  return name === undefined ? refuseToolbox(metaTool, input, scope) : findToolbox(scope, name);
}

function jsonResult(value: object): Outcome {
  return textResult(JSON.stringify(value));
}
