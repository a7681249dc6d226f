import type { IncomingMessage, ServerResponse as HttpResponse } from "node:http";

import { NumberedTable } from "../../calls/numbered-table.ts";
import { RPC, type WorkbenchError, workbenchError } from "../../errors.ts";
import { MODERN_VERSION, modernVersionOf } from "../../protocol/envelope.ts";
import { type IncomingRequest, classify, errorText, isObject } from "../../wire/messages.ts";
import type { Cancellable } from "../modern/clients.ts";
import { acceptedTypes } from "./accepted-types.ts";
import type { Body } from "./request-body.ts";
import type { Endpoint } from "./endpoints.ts";
import { invalidError } from "./messages.ts";
import { modernProblem } from "./modern-headers.ts";
import { PostReply } from "./post-reply.ts";
import type { KeepAlive } from "./keep-alive.ts";
import { refuse } from "./http-responses.ts";

/** Modern clients expect an HTTP status for some errors; all others are sent with 200. */
const STATUS: Readonly<Record<number, number>> = {
  [RPC.methodNotFound]: 404,
  [RPC.headerMismatch]: 400,
  [RPC.missingCapability]: 400,
  [RPC.unsupportedVersion]: 400,
};

export function hasModernVersion({ headers }: IncomingMessage): boolean {
  return headers["mcp-protocol-version"] === MODERN_VERSION;
}

/** True for modern messages; each request states its version, which a plain call does not. */
export function isModern(request: IncomingMessage, body: Body): boolean {
  if (hasModernVersion(request)) return true;
  if (body.plain !== undefined) return false;
  const { message } = body;
  if (!isObject(message)) return false;
  return (
    message["method"] === "server/discover" || modernVersionOf(message["params"]) !== undefined
  );
}

/** Serves modern clients: each request is independent and has its own response. */
export class ModernPosts {
  readonly #keepAlive: KeepAlive;
  /** The requests in flight, with a function that ends each with an error. */
  readonly #open = new NumberedTable<(reason: WorkbenchError) => void>();
  #requests = 0;

  constructor(keepAlive: KeepAlive) {
    this.#keepAlive = keepAlive;
  }

  post(endpoint: Endpoint, request: IncomingMessage, response: HttpResponse, body: Body): void {
    const incoming = classify(body.message, body.text);
    if (incoming.kind === "notification") {
      // Over HTTP a modern client has no notifications to send: it cancels by disconnecting.
      response.writeHead(202).end();
    } else if (incoming.kind === "request")
      this.#request(endpoint, request, response, incoming.request);
    else {
      const reason = "clients of this protocol version do not send responses";
      if (incoming.kind === "invalid") refuse(response, invalidError(incoming), incoming.idText);
      else refuse(response, workbenchError("BAD_REQUEST", { reason }));
    }
  }

  close(reason: WorkbenchError): void {
    for (const end of this.#open.values()) end(reason);
  }

  #request(
    endpoint: Endpoint,
    http: IncomingMessage,
    response: HttpResponse,
    request: IncomingRequest,
  ): void {
    const { idText } = request;
    const accepted = acceptedTypes(http);
    const listens = request.method === "subscriptions/listen";
    const problem =
      accepted.events || (accepted.json && !listens)
        ? modernProblem(request, http.headers, (name) => endpoint.knownTool(name))
        : workbenchError("NOT_ACCEPTABLE", { types: "application/json and text/event-stream" });
    if (problem !== undefined) {
      refuse(response, problem, idText);
      return;
    }
    let ongoing: Cancellable | undefined;
    const reply = new PostReply(response, {
      accepted,
      keepAlive: this.#keepAlive,
      statusOf: (code) => STATUS[code] ?? 200,
      onDisconnect: () => ongoing?.cancel("the client closed the connection"),
    });
    if (listens) reply.openStream();
    const number = ++this.#requests;
    this.#open.set(number, (error) => {
      reply.reply(idText, errorText(idText, error.rpcError));
      ongoing?.cancel(error.text);
    });
    ongoing = endpoint.modern.request(request, reply, () => {
      this.#open.delete(number);
      reply.giveUp();
    });
  }
}
