import { LOCAL_PRINCIPAL, type Principal } from "../calls/principal.ts";
import { RPC, type WorkbenchError, reasonOf } from "../errors.ts";
import { shownName } from "../text/shown-name.ts";
import { type Answer, answerOf } from "./answer.ts";
import { CatalogueSurface } from "../serve/surface/catalogue-surface.ts";
import type { ClientOutput } from "../serve/client-output.ts";
import { ProxyTools } from "../serve/surface/proxy-tools.ts";
import { Session } from "../serve/legacy/session.ts";
import type { Connection } from "../servers/connection/connection.ts";
import type { Server } from "../servers/server.ts";
import type { ServerRef, ToolIdentifier } from "../calls/identifier.ts";
import { NAME, VERSION } from "../version.ts";
import {
  type IncomingResponse,
  type JsonObject,
  classify,
  errorText,
  requestMessage,
  resultText,
} from "../wire/messages.ts";
import type { ServerResponse } from "../wire/response.ts";
import type { Workbench } from "../workbench/workbench.ts";

/** The capabilities of a client besides calling tools. */
export interface ClientHandlers {
  /** Answers requests of servers, by method; missing methods are not offered to servers. */
  readonly questions?: Readonly<Record<string, (params: JsonObject) => Promise<JsonObject>>>;
  readonly capabilities?: JsonObject;
  readonly notified?: (method: string, params: JsonObject) => void;
  /** For whom it calls; the command line and the library if it is not set. */
  readonly principal?: Principal;
  /** The toolboxes of which it may use what its principal may; all if it is not set. */
  readonly from?: Parameters<Workbench["scopes"]["restrict"]>[0];
  /** How it describes itself. */
  readonly info?: JsonObject;
}

export interface CallOptions {
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((params: JsonObject) => void) | undefined;
  /** `_meta` of the request. */
  readonly meta?: JsonObject | undefined;
}

/**
 * A client inside the program. It uses a session like any other client, so that calls from the
 * command line or the library take the same path as those of an agent. Errors of the workbench are
 * thrown unchanged, those of servers as `ServerRpcError`.
 */
export class LocalClient implements ClientOutput {
  readonly instructions: Promise<string>;
  readonly #session: Session;
  readonly #handlers: ClientHandlers;
  readonly #pending = new Map<string, (message: string) => void>();
  readonly #progress = new Map<unknown, (params: JsonObject) => void>();
  /** The errors of the workbench, which other clients get as text. */
  readonly #failures = new Map<string, WorkbenchError>();
  #next = 1;
  /** Pending until the session is initialized, which a step may delay. */
  #initializing: Promise<void> | undefined;

  constructor(workbench: Workbench, handlers: ClientHandlers = {}) {
    this.#handlers = handlers;
    const { principal = LOCAL_PRINCIPAL, from = workbench.toolboxes } = handlers;
    const scope = workbench.scopes.restrict(from, principal);
    this.#session = new Session(
      workbench,
      scope,
      () => new CatalogueSurface(workbench, new ProxyTools(workbench, scope, principal, () => {})),
      this,
      {
        principal,
        onFailure: (idText, error) => void this.#failures.set(idText, error),
      },
    );
    const initialized = this.request("initialize", {
      protocolVersion: "2025-11-25",
      capabilities: handlers.capabilities ?? {},
      clientInfo: handlers.info ?? { name: NAME, version: VERSION },
    });
    this.instructions = initialized.then(({ result }) => String(result["instructions"] ?? ""));
    const onInitialized = (): void => (this.#initializing = undefined);
    this.#initializing = initialized.then(onInitialized, onInitialized);
  }

  /** The toolboxes that it may use. */
  get scope(): Session["caller"]["scope"] {
    return this.#session.caller.scope;
  }

  /** Connects a server; throws the reason if that fails. */
  connect(server: Server): Promise<Connection> {
    return this.#session.caller.connect(server);
  }

  /** Calls a tool with arguments given as JSON text. */
  async callTool(tool: ToolIdentifier, args: string, options: CallOptions = {}): Promise<Answer> {
    const token = options.onProgress === undefined ? undefined : `progress-${this.#next}`;
    if (options.onProgress !== undefined) this.#progress.set(token, options.onProgress);
    const given = { ...options.meta, ...(token !== undefined && { progressToken: token }) };
    const meta = Object.keys(given).length > 0 ? `,"_meta":${JSON.stringify(given)}` : "";
    const use = `{"tool":${JSON.stringify(tool)},"arguments":${args}}`;
    const params = `{"name":"use_tool","arguments":${use}${meta}}`;
    try {
      return await this.#send("tools/call", params, options.signal, tool);
    } finally {
      this.#progress.delete(token);
    }
  }

  /** Any other request. */
  request(method: string, params: JsonObject = {}): Promise<Answer> {
    return this.#send(method, JSON.stringify(params));
  }

  close(): void {
    this.#session.close();
  }

  answer(idText: string, response: ServerResponse): void {
    this.reply(idText, response.withId(idText));
  }

  reply(idText: string, message: string): void {
    this.#pending.get(idText)?.(message);
    this.#pending.delete(idText);
  }

  send(message: string): void {
    const incoming = classify(JSON.parse(message), message);
    if (incoming.kind === "request") {
      const { idText, method, params } = incoming.request;
      void this.#respond(idText, method, params);
    } else if (incoming.kind === "notification") {
      const { method, params } = incoming.notification;
      if (method === "notifications/progress")
        this.#progress.get(params["progressToken"])?.(params);
      else this.#handlers.notified?.(method, params);
    }
  }

  /** Sends a request, which this server answers; the workbench itself if there is none. */
  async #send(
    method: string,
    params: string,
    signal?: AbortSignal,
    server?: ServerRef,
  ): Promise<Answer> {
    if (this.#initializing !== undefined) await this.#initializing;
    signal?.throwIfAborted();
    const id = this.#next++;
    const idText = String(id);
    const answered = new Promise<string>((resolve) => this.#pending.set(idText, resolve));
    const text = requestMessage(idText, method, params);
    this.#session.caller.call({
      id,
      idText,
      method,
      params: JSON.parse(params) as JsonObject,
      text,
    });
    const cancel = (): void => {
      const reason = reasonOf(signal?.reason);
      this.#session.notification({
        method: "notifications/cancelled",
        params: { requestId: id, reason },
      });
      this.reply(idText, "");
    };
    signal?.addEventListener("abort", cancel, { once: true });
    const message = await answered;
    signal?.removeEventListener("abort", cancel);
    const failure = this.#failures.get(idText);
    this.#failures.delete(idText);
    signal?.throwIfAborted();
    if (failure !== undefined) throw failure;
    return answerOf(message, server);
  }

  async #respond(idText: string, method: string, params: JsonObject): Promise<void> {
    const { questions = {} } = this.#handlers;
    const handler = Object.hasOwn(questions, method) ? questions[method] : undefined;
    let message = errorText(idText, {
      code: RPC.methodNotFound,
      message: `Method not found: ${shownName(method)}`,
    });
    if (handler !== undefined)
      message = await handler(params).then(
        (result) => resultText(idText, result),
        () => errorText(idText, { code: RPC.internal, message: "The user did not answer" }),
      );
    this.#session.response(JSON.parse(message) as IncomingResponse, message);
  }
}
