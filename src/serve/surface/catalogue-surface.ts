import type { Connection } from "../../servers/connection.ts";
import type { Server } from "../../servers/server.ts";
import type { IncomingRequest, JsonObject } from "../../wire/messages.ts";
import { workbenchGreeting } from "../../workbench/greeting.ts";
import type { Workbench } from "../../workbench/workbench.ts";
import type { Reach } from "./across.ts";
import { complete } from "./completion.ts";
import { getPrompt, listPrompts } from "./prompts.ts";
import type { Requester } from "../requester.ts";
import { findResource } from "./resource-uris.ts";
import { listResources, listTemplates, readResource } from "./resources.ts";
import { type Surface, answerLater, methodNotFound, namesTool } from "./surface.ts";
import { handleTask } from "./tasks.ts";
import type { ToolSurface } from "./tool-surface.ts";

type Answer = (requester: Requester, request: IncomingRequest, reach: Reach) => Promise<void>;

const ANSWERS: Readonly<Record<string, Answer>> = {
  "prompts/list": listPrompts,
  "prompts/get": getPrompt,
  "resources/list": listResources,
  "resources/templates/list": listTemplates,
  "resources/read": readResource,
  "completion/complete": complete,
};

/** The toolboxes in scope, through meta-tools or native tools. */
export class CatalogueSurface implements Surface {
  readonly isTransparent = false;
  readonly findResource = findResource;
  readonly #workbench: Workbench;
  readonly #tools: ToolSurface;

  constructor(workbench: Workbench, tools: ToolSurface) {
    this.#workbench = workbench;
    this.#tools = tools;
  }

  greeting(requester: Requester): JsonObject {
    const boxes = Array.from(requester.scope.values(), (toolbox) => toolbox.settings);
    this.#workbench.greeted();
    return workbenchGreeting(this.#tools.mode, boxes, requester.era);
  }

  handle(requester: Requester, request: IncomingRequest): void {
    const { method } = request;
    if (method === "tools/call") {
      if (namesTool(requester, request)) this.#tools.call(requester, request);
    } else if (method === "tools/list") this.#tools.list(requester, request);
    else if (method.startsWith("tasks/")) handleTask(this.#workbench.tasks, requester, request);
    else if (Object.hasOwn(ANSWERS, method)) {
      const answer = ANSWERS[method] as Answer;
      answerLater(requester, request, answer(requester, request, this.#reachOf(requester)));
    } else methodNotFound(requester, request);
  }

  /** Anything else would be a request to a server that does not look at the id. */
  handsOn(method: string): boolean {
    return method.startsWith("notifications/");
  }

  toolsChanged(server: Server, connection: Connection): void {
    this.#tools.toolsChanged(server, connection);
  }

  surfaceChanging(): void {
    this.#tools.surfaceChanging();
  }

  surfaceChanged(): void {
    this.#tools.surfaceChanged();
  }

  /**
   * With native tools, a toolbox that a session has not opened is not there, and neither are its
   * prompts and resources.
   */
  #reachOf({ era }: Requester): Reach {
    return this.#tools.mode === "dynamic" && era === "legacy" ? "open" : "all";
  }
}
