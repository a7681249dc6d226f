import type { IncomingMessage, ServerResponse as HttpResponse } from "node:http";
import type { TLSSocket } from "node:tls";

import { workbenchError } from "../../errors.ts";
import { refuse, writeJson, writeLast } from "../http/http-responses.ts";
import { lengthOf } from "../http/numbered-events.ts";
import { OpenRequests } from "./open-requests.ts";
import { PassedEvents } from "./passed-events.ts";
import { type Peer, type PeerClient, SILENT_MS } from "./peer-client.ts";
import { MOVED_HEADER, NOT_HERE, REPLICA_HEADER } from "./replica-header.ts";

/** Headers about one connection, which say nothing about the next. */
const OF_CONNECTION: ReadonlySet<string> = new Set([
  "connection",
  "content-length",
  "expect",
  "keep-alive",
  "proxy-authenticate",
  "proxy-authorization",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
  REPLICA_HEADER,
  MOVED_HEADER,
]);

/** `moved`: the replica does not own the session. `gone`: the replica did not get it. Otherwise the client has an answer. */
export type Forwarded = "answered" | "moved" | "gone";

export interface ForwardOptions {
  readonly body: Buffer | undefined;
  /** Called with a function that ends the request because the replica is gone. */
  readonly onStarted: (giveUp: () => void) => void;
}

/** Passes a request on to another replica as it is, and its answer back, byte for byte. */
export function forward(
  peers: PeerClient,
  peer: Peer,
  request: IncomingMessage,
  response: HttpResponse,
  { body, onStarted }: ForwardOptions,
): Promise<Forwarded> {
  const headers: Record<string, string | string[]> = {};
  for (const [name, value] of Object.entries(request.headers))
    if (value !== undefined && !OF_CONNECTION.has(name)) headers[name] = value;
  if (body !== undefined) headers["content-length"] = String(body.length);
  return new Promise((resolve) => {
    const sent = peers.request(peer, {
      method: request.method ?? "GET",
      path: request.url ?? "/",
      sessionId: String(request.headers["mcp-session-id"] ?? ""),
      headers,
    });
    const open = new OpenRequests(body);
    let events: PassedEvents | undefined;
    let isConnected = false;
    let isSettled = false;
    const settle = (outcome: Forwarded): void => {
      if (isSettled) return;
      isSettled = true;
      resolve(outcome);
    };
    const onLost = (): void => {
      if (!isSettled && events !== undefined) events.onLost();
      else if (!isSettled) answerLost(response, open);
      settle("answered");
      sent.destroy();
    };
    response.once("close", () => {
      // The client is gone, or has its whole answer.
      if (!response.writableFinished) sent.destroy();
      settle("answered");
    });
    sent.on("socket", (socket) => {
      // Nothing is sent before both sides have agreed on keys.
      const { secureConnecting } = socket as Partial<TLSSocket> & { secureConnecting?: boolean };
      const event = secureConnecting === true ? "secureConnect" : "connect";
      if (!socket.connecting && secureConnecting !== true) isConnected = true;
      else {
        const timer = setTimeout(() => sent.destroy(new Error("not connected")), SILENT_MS);
        socket.once(event, () => (isConnected = true));
        socket.once(event, () => clearTimeout(timer));
        socket.once("close", () => clearTimeout(timer));
      }
    });
    sent.on("error", () => {
      if (isSettled) return;
      if (!isConnected) settle("gone");
      else onLost();
    });
    sent.on("response", (answer) => {
      const moved = answer.headers[MOVED_HEADER];
      if (moved !== undefined) {
        answer.resume();
        settle(moved === NOT_HERE ? "gone" : "moved");
        return;
      }
      if (isEventStream(answer)) {
        copyHead(answer, response);
        const isAlive = async (): Promise<boolean> =>
          typeof (await peers.ask(peer, "-")) === "object";
        events = new PassedEvents(answer, response, { open, isAlive });
      } else passWhole(answer, response, onLost);
    });
    onStarted(onLost);
    sent.end(body);
  });
}

function copyHead(answer: IncomingMessage, response: HttpResponse): void {
  response.statusCode = answer.statusCode ?? 502;
  for (const [name, value] of Object.entries(answer.headers))
    if (value !== undefined && (!OF_CONNECTION.has(name) || name === "content-length"))
      response.setHeader(name, value);
}

/** Passes an answer on when it is complete, so that an error can still replace it. */
function passWhole(answer: IncomingMessage, response: HttpResponse, onLost: () => void): void {
  const chunks: Buffer[] = [];
  answer.on("data", (chunk: Buffer) => chunks.push(chunk));
  answer.on("end", () => {
    if (response.destroyed || response.writableEnded) return;
    copyHead(answer, response);
    writeLast(response, chunks, lengthOf(chunks));
  });
  answer.on("error", onLost);
}

/** The replica was lost before it answered: whether the calls took effect is not known. */
function answerLost(response: HttpResponse, open: OpenRequests): void {
  if (response.destroyed || response.writableEnded) return;
  const { errors } = open;
  const [first, ...more] = errors;
  if (first === undefined) refuse(response, workbenchError("REPLICA_LOST", {}));
  else writeJson(response, 200, [more.length === 0 ? first : `[${errors.join(",")}]`]);
}

function isEventStream({ headers }: IncomingMessage): boolean {
  return headers["content-type"]?.startsWith("text/event-stream") === true;
}
