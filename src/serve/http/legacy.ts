import type { IncomingMessage, ServerResponse as HttpResponse } from "node:http";

import { isWorkbenchError, workbenchError } from "../../errors.ts";
import { MODERN_VERSION } from "../../protocol/envelope.ts";
import { LEGACY_VERSIONS } from "../../protocol/versions.ts";
import type { IncomingRequest } from "../../wire/messages.ts";
import { type AcceptedTypes, acceptedTypes } from "./accepted-types.ts";
import type { Body } from "./request-body.ts";
import type { Endpoint } from "./endpoints.ts";
import type { ClientHttpSession } from "./client-http-session.ts";
import { type Received, idTextOf, messagesIn, messagesProblem } from "./messages.ts";
import { PostReply } from "./post-reply.ts";
import type { KeepAlive } from "./keep-alive.ts";
import type { ContinuedSession } from "./placement.ts";
import type { Sessions } from "./sessions.ts";
import { refuse, writeError } from "./http-responses.ts";

const SUPPORTED: readonly string[] = [MODERN_VERSION, ...LEGACY_VERSIONS];
const RETRY_SECONDS = "30";

/** Serves legacy clients: sessions that start with `initialize`. */
export class LegacyClients {
  readonly #sessions: Sessions;
  readonly #keepAlive: KeepAlive;

  constructor(sessions: Sessions, keepAlive: KeepAlive) {
    this.#sessions = sessions;
    this.#keepAlive = keepAlive;
  }

  post(endpoint: Endpoint, request: IncomingMessage, response: HttpResponse, body: Body): void {
    const isBatch = body.plain === undefined && Array.isArray(body.message);
    const accepted = acceptedTypes(request);
    if (!versionIsKnown(request, response)) return;
    if (!accepted.json && !accepted.events) {
      const types = "application/json and text/event-stream";
      refuse(response, workbenchError("NOT_ACCEPTABLE", { types }));
      return;
    }
    const messages = messagesIn(body);
    if (isWorkbenchError(messages)) {
      refuse(response, messages);
      return;
    }
    const initialize = isBatch ? undefined : initializeIn(messages);
    if (initialize !== undefined && request.headers["mcp-session-id"] === undefined) {
      this.#initialize(endpoint, response, accepted, initialize);
      return;
    }
    const session = this.#sessionOf(endpoint, request, response, idTextOf(messages));
    if (session === undefined) return;
    const { protocolVersion } = session.session;
    const problem = messagesProblem(messages, isBatch, protocolVersion, (id) => session.awaits(id));
    if (problem !== undefined) {
      for (const { incoming } of messages)
        if (incoming.kind === "invalid" && incoming.answers !== undefined)
          session.session.unusableResponse(incoming.answers, incoming.reason);
      refuse(response, problem, idTextOf(messages));
    } else this.#receive(session, response, accepted, messages, isBatch);
  }

  /** Opens the stream for unsolicited messages, or continues a stream. */
  get(endpoint: Endpoint, request: IncomingMessage, response: HttpResponse): void {
    if (!versionIsKnown(request, response)) return;
    if (!acceptedTypes(request).events) {
      refuse(response, workbenchError("NOT_ACCEPTABLE", { types: "text/event-stream" }));
      return;
    }
    const session = this.#sessionOf(endpoint, request, response);
    const lastId = request.headers["last-event-id"];
    const opened = session?.streams.open(
      response,
      lastId === undefined ? undefined : String(lastId),
    );
    if (opened === false) refuse(response, workbenchError("STREAM_TAKEN", {}));
  }

  /** Ends a session. */
  delete(endpoint: Endpoint, request: IncomingMessage, response: HttpResponse): void {
    if (!versionIsKnown(request, response)) return;
    const session = this.#sessionOf(endpoint, request, response);
    if (session === undefined) return;
    this.#sessions.end(session);
    response.writeHead(204).end();
  }

  /** Continues a session that another replica had. */
  restore(endpoint: Endpoint, session: ContinuedSession): Promise<ClientHttpSession> {
    return this.#sessions.restore(endpoint, session);
  }

  #initialize(
    endpoint: Endpoint,
    response: HttpResponse,
    accepted: AcceptedTypes,
    request: IncomingRequest,
  ): void {
    const session = this.#sessions.create(endpoint, request.params);
    if (isWorkbenchError(session)) {
      refuse(response, session, request.idText, { "retry-after": RETRY_SECONDS });
      return;
    }
    const reply = new PostReply(response, {
      accepted,
      keepAlive: this.#keepAlive,
      // Also before the session is certain, if the response starts before the answer is known.
      headers: () =>
        session.isIntroduced || session.awaits(request.idText)
          ? { "mcp-session-id": session.id }
          : {},
      // The client never learned the id of this session.
      onDisconnect: () => this.#sessions.end(session),
    });
    response.once("finish", () => {
      if (!session.isIntroduced) this.#sessions.end(session);
    });
    session.request(request, reply);
  }

  #receive(
    session: ClientHttpSession,
    response: HttpResponse,
    accepted: AcceptedTypes,
    messages: readonly Received[],
    isBatch: boolean,
  ): void {
    const requests: IncomingRequest[] = [];
    for (const { incoming, text } of messages)
      if (incoming.kind === "request") requests.push(incoming.request);
      else if (incoming.kind === "notification") session.notification(incoming.notification);
      else if (incoming.kind === "response") session.session.response(incoming.response, text);
    if (requests.length === 0) {
      response.writeHead(202).end();
      return;
    }
    const idTexts = requests.map(({ idText }) => idText);
    const reply = new PostReply(response, {
      accepted,
      keepAlive: this.#keepAlive,
      streams: session.streams,
      idTexts,
      answers: isBatch ? requests.length : undefined,
      onDisconnect: () => session.onDisconnect(idTexts),
    });
    for (const request of requests) session.request(request, reply);
  }

  /** The session of a request; answers with an error if there is none. */
  #sessionOf(
    endpoint: Endpoint,
    request: IncomingMessage,
    response: HttpResponse,
    idText?: string,
  ): ClientHttpSession | undefined {
    const id = request.headers["mcp-session-id"];
    if (typeof id !== "string") {
      const reason = "the header Mcp-Session-Id is missing; a session starts with initialize";
      refuse(response, workbenchError("BAD_REQUEST", { reason }), idText);
      return undefined;
    }
    const session = this.#sessions.find(id, endpoint);
    if (session === undefined) refuse(response, workbenchError("SESSION_NOT_FOUND", {}), idText);
    return session;
  }
}

function initializeIn([first]: readonly Received[]): IncomingRequest | undefined {
  if (first?.incoming.kind !== "request") return undefined;
  const { request } = first.incoming;
  return request.method === "initialize" ? request : undefined;
}

/** Checks the protocol version of a request; answers with an error if it is not supported. */
function versionIsKnown(request: IncomingMessage, response: HttpResponse): boolean {
  const version = request.headers["mcp-protocol-version"];
  if (version === undefined || SUPPORTED.includes(String(version))) return true;
  const { httpStatus, rpcCode, text } = workbenchError("UNSUPPORTED_VERSION", {
    version: String(version),
  });
  const data = { supported: SUPPORTED, requested: version };
  writeError(response, httpStatus, { code: rpcCode, message: text, data });
  return false;
}
