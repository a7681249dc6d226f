import { workbenchError } from "../errors.ts";
import type { Server } from "../servers/server.ts";
import type { Connection } from "../servers/connection.ts";
import type { IncomingRequest, JsonObject } from "../wire/messages.ts";
import { callTool, forward } from "./forward.ts";
import type { Requester } from "./requester.ts";
import { type Surface, answerLater } from "./surface.ts";

/**
 * One server as if the client were connected to it directly: its own names, URIs, instructions and
 * methods, except for what the configuration says about its tools.
 */
export class TransparentSurface implements Surface {
  readonly #server: Server;
  readonly #changed: () => void;

  constructor(server: Server, changed: () => void) {
    this.#server = server;
    this.#changed = changed;
  }

  async greeting(requester: Requester): Promise<JsonObject> {
    const { greeting } = await requester.connect(this.#server);
    const {
      protocolVersion: _version,
      supportedVersions: _versions,
      resultType: _type,
      ...rest
    } = greeting.raw;
    return { ...rest, capabilities: greeting.capabilities, serverInfo: greeting.serverInfo };
  }

  handle(requester: Requester, request: IncomingRequest): void {
    const { method, params } = request;
    if (method === "tools/list" && !this.#server.untouched)
      answerLater(requester, request, this.#listCatalogue(requester, request));
    else if (method === "tools/call" && !this.#server.untouched) {
      const { toolbox, name: server } = this.#server.settings;
      const tool = { toolbox, server, name: String(params["name"]) };
      callTool(requester, request, this.#server, tool, "params.arguments");
    } else forward(requester, request, this.#server, subjectOf(params));
  }

  toolsChanged(_server: Server, _connection: Connection): void {
    this.#changed();
  }

  surfaceChanged(): void {
    this.#changed();
  }

  async #listCatalogue(requester: Requester, request: IncomingRequest): Promise<void> {
    if (request.params["cursor"] !== undefined)
      throw workbenchError("INVALID_PARAMETERS", { reason: "cursor: Unknown cursor" });
    const { catalogue } = await requester.connect(this.#server);
    const tools = Array.from(catalogue.tools.values(), (tool) => tool.text);
    requester.replyText(request, `{"tools":[${tools.join(",")}]}`);
  }
}

function subjectOf({ name, uri, taskId }: JsonObject): string {
  for (const subject of [name, uri, taskId]) if (typeof subject === "string") return subject;
  return "";
}
