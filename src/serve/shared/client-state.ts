import { RPC, workbenchError } from "../../errors.ts";
import { modernVersionOf } from "../../protocol/envelope.ts";
import { parseWithinLimits } from "../../wire/json-limits.ts";
import { elementsOf, replaceMember } from "../../wire/members.ts";
import {
  type IncomingNotification,
  type IncomingRequest,
  type JsonObject,
  cancelledId,
  classify,
  errorText,
  isObject,
  notificationText,
  resultText,
} from "../../wire/messages.ts";
import { readPlainCall } from "../../wire/plain-messages.ts";

interface OpenRequest {
  readonly method: string;
  readonly isModern: boolean;
  /** Its text, if it can be sent again. */
  readonly stream?: string;
}

const PLAIN: OpenRequest = { method: "tools/call", isModern: false };
const LISTEN = "subscriptions/listen";
const TOOLBOX = "toolbox ";

/** A line that continues a session. */
export interface RepeatedLine {
  readonly text: string;
  /** The id of a request whose answer is not for the client, as JSON. */
  readonly idText?: string;
  /** Whether everything else depends on its answer. */
  readonly isFirst?: boolean;
}

/**
 * What a client waits for and what its session consists of, from the lines that pass by: enough to
 * answer it if the shared process ends, and to continue with another one.
 */
export class ClientState {
  /** The client's `initialize`, if it was answered before the shared process knew the client. */
  readonly #answered: string | undefined;
  /** Whether toolboxes that were opened belong to the session. */
  readonly #keepsToolboxes: boolean;
  readonly #open = new Map<string, OpenRequest>();
  /** The ids of requests that the client has not answered, as JSON. */
  readonly #questions = new Set<string>();
  /** The requests that made the session what it is, by what they are about. */
  readonly #session = new Map<string, string>();
  /** Begins the ids of repeated requests, as JSON. No id of the client begins like this. */
  readonly #repeatId = `"workbench-repeat-${crypto.randomUUID()}-`;

  constructor(answered: string | undefined, keepsToolboxes: boolean) {
    this.#answered = answered;
    this.#keepsToolboxes = keepsToolboxes;
  }

  get answered(): string | undefined {
    return this.#answered;
  }

  /** Whether the client waits for an answer, or has to give one. Streams can be opened again. */
  get isWaiting(): boolean {
    if (this.#questions.size > 0) return true;
    for (const { stream } of this.#open.values()) if (stream === undefined) return true;
    return false;
  }

  /** Whether the client expects messages without asking for each of them. */
  get isListening(): boolean {
    for (const { stream } of this.#open.values()) if (stream !== undefined) return true;
    for (const key of this.#session.keys()) if (key.startsWith("subscribe ")) return true;
    return false;
  }

  /** A line of the client is on its way to the shared process. */
  sent(text: string): void {
    const plain = readPlainCall(text);
    if (plain !== undefined) {
      this.#open.set(plain.idText, PLAIN);
      if (this.#keepsToolboxes && plain.name.endsWith("_toolbox"))
        this.#onToolbox(plain.name, plain.params, text);
      return;
    }
    let message: unknown;
    try {
      message = parseWithinLimits(text);
    } catch {
      // The shared process refuses it.
      return;
    }
    if (Array.isArray(message)) for (const element of elementsOf(text) ?? []) this.sent(element);
    else this.#onMessage(message, text);
  }

  /** A request has its answer. */
  onAnswer(idText: string): void {
    this.#open.delete(idText);
  }

  /** The client is asked something. */
  onQuestion(idText: string): void {
    this.#questions.add(idText);
  }

  /** Whether an answer is to a request that was only repeated, which the client did not send. */
  isRepeated(idText: string): boolean {
    return idText.startsWith(this.#repeatId);
  }

  /**
   * The shared process has ended: the answers to all requests that cannot be sent again, and the end
   * of all requests to the client.
   */
  *onLost(): Generator<string> {
    for (const idText of this.#questions) {
      const requestId = JSON.parse(idText) as unknown;
      yield notificationText("notifications/cancelled", { requestId });
    }
    this.#questions.clear();
    for (const [idText, request] of this.#open) {
      if (request.stream !== undefined) continue;
      this.#open.delete(idText);
      yield cutOff(idText, request);
    }
  }

  /** The lines with which another process continues the session. */
  *repeated(): Generator<RepeatedLine> {
    let next = 0;
    for (const [key, text] of this.#session) {
      const { id } = JSON.parse(text) as { id?: unknown };
      const isFirst = key === "initialize" || key.startsWith(TOOLBOX);
      const idText = `${this.#repeatId}${next++}"`;
      if (id === undefined) yield { text };
      else yield { text: replaceMember(text, "id", idText), idText, isFirst };
    }
    for (const { stream } of this.#open.values()) if (stream !== undefined) yield { text: stream };
  }

  #onMessage(message: unknown, text: string): void {
    const incoming = classify(message, text);
    if (incoming.kind === "request") this.#onRequest(incoming.request);
    else if (incoming.kind === "response")
      this.#questions.delete(JSON.stringify(incoming.response.id));
    else if (incoming.kind === "notification") this.#onNotification(incoming.notification, text);
  }

  #onRequest({ idText, method, params, text }: IncomingRequest): void {
    const isModern = modernVersionOf(params) !== undefined;
    const isStream = isModern && method === LISTEN;
    this.#open.set(idText, { method, isModern, ...(isStream && { stream: text }) });
    if (isModern) return;
    if (method === "initialize") this.#keep("initialize", text);
    else if (method === "logging/setLevel") this.#keep("level", text);
    else if (method === "resources/subscribe") this.#keep(`subscribe ${params["uri"]}`, text);
    else if (method === "resources/unsubscribe") this.#session.delete(`subscribe ${params["uri"]}`);
    else if (method === "tools/call" && this.#keepsToolboxes)
      this.#onToolbox(params["name"], params, text);
  }

  #onNotification(notification: IncomingNotification, text: string): void {
    const { method } = notification;
    if (method === "notifications/initialized") this.#keep("initialized", text);
    // A request that is cancelled is not answered.
    else if (method === "notifications/cancelled")
      this.#open.delete(cancelledId(notification) ?? "");
  }

  /** In dynamic mode, what a client sees depends on the toolboxes it has opened. */
  #onToolbox(name: unknown, { arguments: args }: JsonObject, text: string): void {
    const { toolbox, toolbox_name: former } = isObject(args) ? args : {};
    const key = `${TOOLBOX}${String(toolbox ?? former)}`;
    if (name === "open_toolbox") this.#keep(key, text);
    else if (name === "close_toolbox") this.#session.delete(key);
  }

  /** The last of its kind counts; the order is that of the first. */
  #keep(key: string, text: string): void {
    this.#session.set(key, text);
  }
}

function cutOff(idText: string, { method, isModern }: OpenRequest): string {
  const { text } = workbenchError("CUT_OFF", {});
  if (method !== "tools/call") return errorText(idText, { code: RPC.internal, message: text });
  const content = [{ type: "text", text }];
  return resultText(idText, {
    ...(isModern && { resultType: "complete" }),
    content,
    isError: true,
  });
}
