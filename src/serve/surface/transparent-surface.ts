import { workbenchError } from "../../errors.ts";
import type { Era } from "../../relay/client-profile.ts";
import { SERVER_INFO_KEY } from "../../relay/envelope.ts";
import { SOLE_OWNER, type TaskPlaces } from "../../relay/tasks.ts";
import type { Greeting } from "../../servers/greeting.ts";
import type { Server, ServerState } from "../../servers/server.ts";
import type { Connection } from "../../servers/connection.ts";
import { folded } from "../../text/fold.ts";
import { type IncomingRequest, type JsonObject, isObject } from "../../wire/messages.ts";
import { callTool, forward } from "../forward.ts";
import type { Requester } from "../requester.ts";
import type { ResourceAddress } from "./resource-uris.ts";
import { ShownTools } from "./shown-tools.ts";
import { type Surface, answerLater, methodNotFound, namesTool } from "./surface.ts";
import { handleTask, refuseTask } from "./tasks.ts";

/** What a server is that the configuration has switched off, or has no more. */
const UNUSABLE: ReadonlySet<ServerState> = new Set(["disabled", "closing"]);

const TOOL_METHODS: ReadonlySet<string> = new Set(["tools/call", "tools/list"]);
const NO_LETTER_OR_DIGIT = /[^\p{L}\p{N}]/gu;

function isToolMethod(method: string): boolean {
  return TOOL_METHODS.has(method);
}

const lettersOf = (method: string): string =>
  folded(method.normalize("NFKC").replace(NO_LETTER_OR_DIGIT, ""));
const TOOL_METHOD_LETTERS: ReadonlySet<string> = new Set(Array.from(TOOL_METHODS, lettersOf));

/** Whether a lenient server might take one of these methods for another, as in `Tools/Call `. */
function resemblesToolMethod(method: string): boolean {
  return [method, folded(method)].some((read) => TOOL_METHOD_LETTERS.has(lettersOf(read)));
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
    return this.#server.untouched || !(isToolMethod(method) || resemblesToolMethod(method));
  }

  handle(requester: Requester, request: IncomingRequest): void {
    const { method } = request;
    if (!isToolMethod(method) && !this.handsOn(method)) methodNotFound(requester, request);
    else if (method === "tools/list" && !this.#server.untouched)
      answerLater(requester, request, this.#listCatalogue(requester, request));
    else if (method === "tools/call" && !this.#server.untouched) {
      if (!namesTool(requester, request)) return;
      const { toolbox, name: server } = this.#server.settings;
      const name = request.plain?.name ?? (request.params["name"] as string);
      const tool = { toolbox, server, name };
      callTool(requester, request, this.#server, tool, "params.arguments");
    } else if (requester.owner === SOLE_OWNER || !this.#guardTasks(requester, request))
      forward(requester, request, this.#server, subjectOf(request));
  }

  /** Other clients share the server, and each may see its own tasks only; true if it was answered. */
  #guardTasks(requester: Requester, request: IncomingRequest): boolean {
    if (request.plain !== undefined) return false;
    const isList = requester.era === "legacy" && lettersOf(request.method) === "taskslist";
    if (isList) handleTask(this.#tasks, requester, request);
    else if (this.#tasks.isOfAnother(request.params["taskId"], requester.owner))
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
