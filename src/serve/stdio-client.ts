import { STDIO_PRINCIPAL } from "../calls/principal.ts";
import { RPC, reasonOf, workbenchError } from "../errors.ts";
import { modernVersionOf } from "../protocol/envelope.ts";
import { BATCH_VERSION, MAX_IN_BATCH } from "../protocol/versions.ts";
import { idOfExcessive } from "../wire/excessive-id.ts";
import { excessOf } from "../wire/json-limits.ts";
import { elementsOf } from "../wire/members.ts";
import {
  type IncomingRequest,
  type InvalidMessage,
  cancelledId,
  classifyStrict,
  errorText,
} from "../wire/messages.ts";
import { readPlainCall } from "../wire/plain-messages.ts";
import type { Workbench } from "../workbench/workbench.ts";
import { newModernClients, newSession } from "./client-factory.ts";
import type { ClientOutput } from "./client-output.ts";
import type { ClientView } from "./client-view.ts";
import type { Session, SessionOptions } from "./legacy/session.ts";
import { PipedRequests } from "./modern/piped-requests.ts";

/** The client at the other end of the pipe. Its era shows in every request. */
export class StdioClient {
  readonly #output: ClientOutput;
  readonly #session: Session;
  readonly #modern: PipedRequests;

  constructor(
    workbench: Workbench,
    view: ClientView,
    output: ClientOutput,
    options: SessionOptions = {},
  ) {
    const { principal = STDIO_PRINCIPAL } = options;
    this.#output = output;
    this.#session = newSession(workbench, view, output, options);
    this.#modern = new PipedRequests(output, () =>
      newModernClients(workbench, view, principal, options),
    );
  }

  /** Whether a request of either era has no answer yet. */
  get isWaiting(): boolean {
    return this.#session.caller.isWaiting || this.#modern.areAwaited;
  }

  /** Whether a call waits for the client to return with its answers. */
  get isAsked(): boolean {
    return this.#modern.isAsked;
  }

  /** The client has had its answer to `initialize` already. */
  adopt(initialize: IncomingRequest): void {
    void this.#session.adopt(initialize);
  }

  /** Whatever a message leads to, an exception costs the client an answer and not the program. */
  receive(text: string): void {
    try {
      this.#receive(text);
    } catch (error) {
      const { code, message } = workbenchError("INTERNAL", { reason: reasonOf(error) }).rpcError;
      this.#say(idOfExcessive(text) ?? "null", code, message);
    }
  }

  #receive(text: string): void {
    const plain = readPlainCall(text);
    if (plain !== undefined) {
      this.#session.caller.call(plain);
      return;
    }
    const excess = excessOf(text);
    if (excess !== undefined) {
      const idText = idOfExcessive(text);
      if (idText === undefined) this.#refuseText();
      else this.refuse(`the message is too complex: ${excess}`, idText);
      return;
    }
    let message: unknown;
    try {
      message = JSON.parse(text);
    } catch {
      this.#refuseText();
      return;
    }
    const incoming = classifyStrict(message, text);
    switch (incoming.kind) {
      case "request":
        if (modernVersionOf(incoming.request.params) === undefined)
          this.#session.caller.call(incoming.request);
        else this.#modernRequest(incoming.request);
        return;
      case "notification": {
        const { method, params } = incoming.notification;
        const cancelled =
          method === "notifications/cancelled" && cancelledId(incoming.notification);
        if (cancelled && this.#modern.has(cancelled))
          this.#modern.cancel(cancelled, params["reason"]);
        else if (this.#session.protocolVersion === undefined)
          this.#modern.notification(incoming.notification);
        else this.#session.notification(incoming.notification);
        return;
      }
      case "response":
        this.#session.response(incoming.response, text);
        return;
      default:
        if (Array.isArray(message) && this.#session.protocolVersion === BATCH_VERSION)
          this.#receiveBatch(elementsOf(text) ?? []);
        else this.#refuseInvalid(incoming);
    }
  }

  /** Several messages in one line; each is answered in a line of its own. */
  #receiveBatch(texts: readonly string[]): void {
    if (texts.length === 0) this.refuse("a batch holds at least one message");
    if (texts.length > MAX_IN_BATCH) {
      this.refuse(`a batch holds 1 to ${MAX_IN_BATCH} messages`);
      return;
    }
    for (const text of texts)
      if (text.startsWith("[")) this.refuse("a batch holds no other batch");
      else this.receive(text);
  }

  refuse(reason: string, idText = "null"): void {
    this.#say(idText, RPC.invalidRequest, `Invalid request: ${reason}`);
  }

  #refuseInvalid({ reason, idText, code, answers }: InvalidMessage): void {
    const what = code === RPC.invalidParams ? "Invalid parameters" : "Invalid request";
    if (answers !== undefined) this.#session.unusableResponse(answers, reason);
    this.#say(answers === undefined ? idText : "null", code, `${what}: ${reason}`);
  }

  close(): void {
    this.#session.close();
    this.#modern.close();
  }

  #refuseText(): void {
    this.#say("null", RPC.parse, "Parse error: the line is not JSON");
  }

  #modernRequest(request: IncomingRequest): void {
    if (this.#modern.has(request.idText)) this.refuse("this id is still in use", request.idText);
    else this.#modern.start(request);
  }

  #say(idText: string, code: number, message: string): void {
    this.#output.reply(idText, errorText(idText, { code, message }));
  }
}
