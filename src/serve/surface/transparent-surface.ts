import { workbenchError } from "../../errors.ts";
import type { Era } from "../../relay/client-profile.ts";
import { SERVER_INFO_KEY } from "../../relay/envelope.ts";
import { SOLE_OWNER, type TaskPlaces } from "../../relay/tasks.ts";
import type { Greeting } from "../../servers/greeting.ts";
import type { Server, ServerState } from "../../servers/server.ts";
import type { Connection } from "../../servers/connection.ts";
import { type IncomingRequest, type JsonObject, isObject } from "../../wire/messages.ts";
import { resemblesStandardMethod } from "../../wire/method-names.ts";
import { callTool, forward } from "../forward.ts";
import type { Requester } from "../requester.ts";
import type { ResourceAddress } from "./resource-uris.ts";
import { ShownTools } from "./shown-tools.ts";
import { type Surface, answerLater, methodNotFound } from "./surface.ts";
import { handleTask, refuseTask } from "./tasks.ts";

/** What a server is that the configuration has switched off, or has no more. */
const UNUSABLE: ReadonlySet<ServerState> = new Set(["disabled", "closing"]);

const TOOL_METHODS: ReadonlySet<string> = new Set(["tools/call", "tools/list"]);

function isToolMethod(method: string): boolean {
  return TOOL_METHODS.has(method);
}

/** The client that sees the server. */
export interface TransparentClient {
  /** The connection it uses. */
  linked(server: Server): Connection | undefined;
  /** Tells it that its list of tools is another. */
  toolsChanged(): void;
}

/** Those who are told of changes by what they listen with. */
export const UNTOLD: TransparentClient = { linked: () => undefined, toolsChanged: () => {} };

/**
 * One server as if the client were connected to it directly: its own names, URIs, instructions and
 * methods, except for what the configuration says about its tools.
 */
export class TransparentSurface implements Surface {
  readonly isTransparent = true;
  readonly #tasks: TaskPlaces;
  readonly #view: { readonly server: Server };
  readonly #client: TransparentClient;
  readonly #shown: ShownTools;

  constructor(tasks: TaskPlaces, view: { readonly server: Server }, client: TransparentClient) {
    this.#tasks = tasks;
    this.#view = view;
    this.#client = client;
    this.#shown = new ShownTools(() => client.toolsChanged());
  }

  get #server(): Server {
    return this.#view.server;
  }

  async greeting(requester: Requester): Promise<JsonObject> {
    const { greeting } = await requester.connect(this.#server);
    const { serverInfo } = greeting;
    return { ...inTermsOf(requester.era, greeting), serverInfo };
  }

  async findResource(_requester: Requester, uri: string): Promise<ResourceAddress> {
    return { server: this.#server, uri };
  }

  /** A tool must not be called in a way that goes around what the configuration says about it. */
  handsOn(method: string): boolean {
    if (resemblesStandardMethod(method)) return false;
    return this.#server.untouched || !isToolMethod(method);
  }

  handle(requester: Requester, request: IncomingRequest): void {
    const { method } = request;
    if (!isToolMethod(method) && !this.handsOn(method)) methodNotFound(requester, request);
    else if (method === "tools/list" && !this.#server.untouched)
      answerLater(requester, request, this.#listCatalogue(requester, request));
    else if (method === "tools/call" && !this.#server.untouched) {
      const { toolbox, name: server } = this.#server.settings;
      const name = request.plain?.name ?? String(request.params["name"]);
      const tool = { toolbox, server, name };
      callTool(requester, request, this.#server, tool, "params.arguments");
    } else if (requester.owner === SOLE_OWNER || !this.#guardTasks(requester, request))
      forward(requester, request, this.#server, subjectOf(request));
  }

  /**
   * Other clients share the server, and each may see its own tasks only; true if it was answered. The
   * server is asked for no others, so that those of other clients cannot be told from missing ones.
   */
  #guardTasks(requester: Requester, request: IncomingRequest): boolean {
    if (request.plain !== undefined) return false;
    const { method, params } = request;
    const { owner } = requester;
    const { place } = this.#server;
    const { taskId } = params;
    const isAboutTask = method.startsWith("tasks/") && taskId !== undefined;
    if (method === "tasks/list" && requester.era === "legacy")
      handleTask(this.#tasks, requester, request);
    else if (
      isAboutTask
        ? !this.#tasks.owns(owner, taskId, place)
        : this.#tasks.isOfAnother(owner, taskId, place)
    )
      refuseTask(requester, request);
    else return false;
    return true;
  }

  /** The first tools of the server are no news: the client has yet to ask for them. */
  toolsChanged(_server: Server, { catalogue }: Connection): void {
    this.#shown.before(() => catalogue.texts);
    this.#shown.now(catalogue.texts);
  }

  surfaceChanging(): void {
    // What the client was shown is known from the connection it came from.
  }

  surfaceChanged(): void {
    void this.#known().then((texts) => texts && this.#shown.now(texts));
  }

  /** What the server has, if that is known; nothing while it may not be used. */
  async #known(): Promise<readonly string[] | undefined> {
    const server = this.#server;
    if (UNUSABLE.has(server.state)) return [];
    const known = this.#client.linked(server) ?? (await server.host.memory.recall(server));
    return known?.catalogue.texts;
  }

  async #listCatalogue(requester: Requester, request: IncomingRequest): Promise<void> {
    if (request.params["cursor"] !== undefined)
      throw workbenchError("INVALID_PARAMETERS", { reason: "cursor: Unknown cursor" });
    const { catalogue } = await requester.connect(this.#server);
    const texts = catalogue.texts;
    this.#shown.given(texts);
    requester.replyText(request, `{"tools":[${texts.join(",")}]}`);
  }
}

/** What a server said about itself, without what a client of this era has no use for. */
function inTermsOf(era: Era, { era: own, raw, capabilities }: Greeting): JsonObject {
  const { protocolVersion: _version, supportedVersions: _versions, ...rest } = raw;
  if (own === era) return { ...rest, capabilities };
  if (era === "legacy") {
    const { resultType: _type, ttlMs: _ttl, cacheScope: _scope, _meta: meta, ...plain } = rest;
    const { [SERVER_INFO_KEY]: _info, ...others } = isObject(meta) ? meta : {};
    return { ...plain, ...(Object.keys(others).length > 0 && { _meta: others }), capabilities };
  }
  // Tasks have another form in the modern era, which a legacy server does not know.
  const { tasks: _tasks, ...known } = capabilities;
  return { ...rest, capabilities: known };
}

function subjectOf(request: IncomingRequest): string {
  if (request.plain !== undefined) return request.plain.name;
  const { name, uri, taskId } = request.params;
  for (const subject of [name, uri, taskId]) if (typeof subject === "string") return subject;
  return "";
}
