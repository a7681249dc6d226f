import { RPC, type WorkbenchError, reasonOf } from "../errors.ts";
import { shownName } from "../text/shown-name.ts";
import { type Answer, answerOf } from "./answer.ts";
import type { ClientOutput } from "../serve/client-output.ts";
import type { OnFailure } from "../serve/legacy/session-answers.ts";
import type { ServerRef, ToolIdentifier } from "../calls/identifier.ts";
import { NAME, VERSION } from "../version.ts";
import {
  type IncomingNotification,
  type IncomingRequest,
  type IncomingResponse,
  type JsonObject,
  classify,
  errorText,
  requestMessage,
  resultText,
} from "../wire/messages.ts";
import type { ServerResponse } from "../wire/response.ts";

/** The capabilities of a client besides calling tools. */
export interface ClientHandlers {
  /** Answers requests of servers, by method; missing methods are not offered to servers. */
  readonly questions?: Readonly<Record<string, (params: JsonObject) => Promise<JsonObject>>>;
  readonly capabilities?: JsonObject;
  readonly notified?: (method: string, params: JsonObject) => void;
  /** How it describes itself; as the workbench if it is not set. */
  readonly info?: JsonObject;
}

export interface CallOptions {
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((params: JsonObject) => void) | undefined;
  /** `_meta` of the request. */
  readonly meta?: JsonObject | undefined;
  /** Answers elicitation that belongs to this call, with a result as JSON. */
  readonly onElicitation?: OnElicitation | undefined;
}

/** The signal is aborted when no answer is needed any longer. */
export type OnElicitation = (params: JsonObject, signal: AbortSignal) => Promise<string>;

/** A request of a server that has not been answered yet. */
interface OpenQuestion {
  /** The id of the call that it belongs to, as JSON. */
  readonly about: string | undefined;
  readonly over: AbortController;
}

/** What takes the messages of a client inside the program. */
export interface EmbeddedSession {
  call(request: IncomingRequest): void;
  notification(notification: IncomingNotification): void;
  response(response: IncomingResponse, text: string): void;
  close(): void;
}

/** Opens the session of a client; `onFailure` gets the errors that other clients get as text. */
export type OpenSession = (output: ClientOutput, onFailure: OnFailure) => EmbeddedSession;

/**
 * A client inside the program. It uses a session like any other client, so that its calls take the
 * same path as those of an agent. Errors of the workbench are thrown unchanged where they are known,
 * those of servers as `ServerRpcError`.
 */
export class EmbeddedClient implements ClientOutput {
  readonly instructions: Promise<string>;
  readonly #session: EmbeddedSession;
  readonly #handlers: ClientHandlers;
  readonly #pending = new Map<string, (message: string) => void>();
  readonly #progress = new Map<unknown, (params: JsonObject) => void>();
  readonly #elicitations = new Map<string, OnElicitation>();
  /** By the id of the request. */
  readonly #asked = new Map<unknown, OpenQuestion>();
  /** The errors of the workbench, which other clients get as text. */
  readonly #failures = new Map<string, WorkbenchError>();
  #next = 1;
  /** Pending until the session is initialized, which a step may delay. */
  #initializing: Promise<void> | undefined;

  constructor(open: OpenSession, handlers: ClientHandlers = {}) {
    this.#handlers = handlers;
    this.#session = open(this, (idText, error) => void this.#failures.set(idText, error));
    const initialized = this.request("initialize", {
      protocolVersion: "2025-11-25",
      capabilities: handlers.capabilities ?? {},
      clientInfo: handlers.info ?? { name: NAME, version: VERSION },
    });
    this.instructions = initialized.then(({ result }) => String(result["instructions"] ?? ""));
    const onInitialized = (): void => (this.#initializing = undefined);
    this.#initializing = initialized.then(onInitialized, onInitialized);
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
      return await this.#send("tools/call", params, options, tool);
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

  send(message: string, about: string | undefined): void {
    const incoming = classify(JSON.parse(message), message);
    if (incoming.kind === "request") {
      void this.#respond(incoming.request, about);
    } else if (incoming.kind === "notification") {
      const { method, params } = incoming.notification;
      if (method === "notifications/progress")
        this.#progress.get(params["progressToken"])?.(params);
      else if (method === "notifications/cancelled")
        this.#asked.get(params["requestId"])?.over.abort();
      else this.#handlers.notified?.(method, params);
    }
  }

  /** Sends a request, which this server answers; the workbench itself if there is none. */
  async #send(
    method: string,
    params: string,
    { signal, onElicitation }: CallOptions = {},
    server?: ServerRef,
  ): Promise<Answer> {
    if (this.#initializing !== undefined) await this.#initializing;
    signal?.throwIfAborted();
    const id = this.#next++;
    const idText = String(id);
    if (onElicitation !== undefined) this.#elicitations.set(idText, onElicitation);
    const answered = new Promise<string>((resolve) => this.#pending.set(idText, resolve));
    const text = requestMessage(idText, method, params);
    this.#session.call({
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
    this.#elicitations.delete(idText);
    for (const { about, over } of this.#asked.values()) if (about === idText) over.abort();
    const failure = this.#failures.get(idText);
    this.#failures.delete(idText);
    signal?.throwIfAborted();
    if (failure !== undefined) throw failure;
    return answerOf(message, server);
  }

  async #respond(
    { id, idText, method, params }: IncomingRequest,
    about: string | undefined,
  ): Promise<void> {
    const handler = this.#handlerOf(method, about);
    let message = errorText(idText, {
      code: RPC.methodNotFound,
      message: `Method not found: ${shownName(method)}`,
    });
    if (handler !== undefined) {
      const over = new AbortController();
      this.#asked.set(id, { about, over });
      message = await handler(params, over.signal).then(
        (result) => resultText(idText, result),
        () => errorText(idText, { code: RPC.internal, message: "The user did not answer" }),
      );
      this.#asked.delete(id);
    }
    this.#session.response(JSON.parse(message) as IncomingResponse, message);
  }

  #handlerOf(
    method: string,
    about: string | undefined,
  ): ((params: JsonObject, signal: AbortSignal) => Promise<JsonObject | string>) | undefined {
    const ofCall = about === undefined ? undefined : this.#elicitations.get(about);
    if (method === "elicitation/create" && ofCall !== undefined) return ofCall;
    const { questions = {} } = this.#handlers;
    return Object.hasOwn(questions, method) ? questions[method] : undefined;
  }
}
