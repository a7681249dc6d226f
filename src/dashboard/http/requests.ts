import type { IncomingMessage, ServerResponse as HttpResponse } from "node:http";

import { VERSION } from "../../version.ts";
import type { DashboardContext } from "../context.ts";
import type { SessionInfo } from "../contract.ts";
import type { Feed } from "../events/feed.ts";
import { UiStream } from "../events/ui-stream.ts";
import { CHANGES, READS } from "../routes.ts";
import { RequestError } from "./api-error.ts";
import { readBody, textIn } from "./body.ts";
import * as guard from "./guard.ts";
import { Query } from "./query.ts";
import { sendError, sendJson, setSecurityHeaders } from "./respond.ts";
import type { UiSession, UiSessions } from "./sessions.ts";
import { sendStatic } from "./static.ts";

const MAX_STREAMS_PER_SESSION = 8;

/** Answers the requests of browsers: first who sends it, then what it asks for. */
export class UiRequests {
  readonly #context: DashboardContext;
  readonly #feed: Feed;
  readonly #sessions: UiSessions;

  constructor(context: DashboardContext, feed: Feed, sessions: UiSessions) {
    this.#context = context;
    this.#feed = feed;
    this.#sessions = sessions;
  }

  handle(request: IncomingMessage, response: HttpResponse): void {
    setSecurityHeaders(response);
    this.#answer(request, response).catch((error: unknown) => sendError(response, error));
  }

  async #answer(request: IncomingMessage, response: HttpResponse): Promise<void> {
    guard.requireThisMachine(request);
    const target = request.url ?? "";
    const path = target.split("?", 1)[0] ?? "";
    if (request.method === "POST") await this.#change(path, request, response);
    else if (request.method !== "GET") {
      response.setHeader("allow", "GET, POST");
      throw new RequestError(405, "method", "Only GET and POST are supported");
    } else if (!sendStatic(path, response)) await this.#read(path, request, response);
  }

  async #read(path: string, request: IncomingMessage, response: HttpResponse): Promise<void> {
    guard.requireSameOrigin(request);
    const session = this.#sessionOf(request);
    if (path === "/ui/events") {
      this.#openStream(session, response);
      return;
    }
    if (path === "/ui/api/session") {
      sendJson(response, 200, this.#infoOf(session));
      return;
    }
    const read = Object.hasOwn(READS, path) ? READS[path as keyof typeof READS] : undefined;
    if (read === undefined) throw nothingAt(path);
    sendJson(response, 200, await read(this.#context, new Query(request.url ?? "")));
  }

  async #change(path: string, request: IncomingMessage, response: HttpResponse): Promise<void> {
    guard.requireSameOrigin(request);
    if (path === "/ui/login") {
      await this.#login(request, response);
      return;
    }
    const session = this.#sessionOf(request);
    guard.requireCsrf(request, session);
    const body = await readBody(request);
    if (path === "/ui/logout") {
      this.#sessions.logout(session);
      const cookie = guard.cookieHeader(guard.cookieNameFor(request), "", 0);
      sendJson(response, 200, { done: true }, { "set-cookie": cookie });
      return;
    }
    const change = Object.hasOwn(CHANGES, path) ? CHANGES[path as keyof typeof CHANGES] : undefined;
    if (change === undefined) throw nothingAt(path);
    const abort = new AbortController();
    response.once("close", () => abort.abort(new Error("the page no longer waits")));
    const answer = await change(this.#context, body, abort.signal);
    if (!response.destroyed) sendJson(response, 200, answer);
  }

  async #login(request: IncomingMessage, response: HttpResponse): Promise<void> {
    guard.requireSameUser(request);
    const login = this.#sessions.login(textIn(await readBody(request), "code"));
    if (login === undefined) {
      const message = "The link was used before or has expired";
      throw new RequestError(401, "unauthorized", message, "Run: mcp-workbench dashboard");
    }
    const { cookie, session } = login;
    // The browser forgets the cookie of its earlier session; no page of it may go on without a cookie.
    const earlier = this.#sessionIn(request);
    if (earlier !== undefined) this.#sessions.logout(earlier);
    const seconds = Math.floor((session.expiresAt - Date.now()) / 1000);
    const header = guard.cookieHeader(guard.cookieNameFor(request), cookie, seconds);
    sendJson(response, 200, this.#infoOf(session), { "set-cookie": header });
  }

  #sessionOf(request: IncomingMessage): UiSession {
    const session = this.#sessionIn(request);
    if (session !== undefined) return session;
    const message = "The session has ended";
    throw new RequestError(401, "unauthorized", message, "Run: mcp-workbench dashboard");
  }

  #sessionIn(request: IncomingMessage): UiSession | undefined {
    return guard.sessionOf(request, this.#sessions, guard.cookieNameFor(request));
  }

  #infoOf({ csrf, expiresAt }: UiSession): SessionInfo {
    return {
      csrf,
      version: VERSION,
      pid: process.pid,
      expiresAt: new Date(expiresAt).toISOString(),
    };
  }

  #openStream(session: UiSession, response: HttpResponse): void {
    if (session.onEnd.size >= MAX_STREAMS_PER_SESSION)
      throw new RequestError(429, "too-many", "Too many pages are open", "Close some of them");
    const stream = new UiStream(response);
    const onEnd = (): void => stream.end({ type: "bye", reason: "session" });
    session.onEnd.add(onEnd);
    stream.onClosed(() => session.onEnd.delete(onEnd));
    this.#feed.add(stream);
  }
}

function nothingAt(path: string): RequestError {
  return new RequestError(404, "not-found", `There is nothing at ${path}`);
}
