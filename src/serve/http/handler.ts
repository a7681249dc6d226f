import type { IncomingMessage, ServerResponse as HttpResponse } from "node:http";

import { isWorkbenchError, reasonOf, workbenchError } from "../../errors.ts";
import { statusOf } from "../../workbench/status.ts";
import type { Workbench } from "../../workbench/workbench.ts";
import type { ClientView } from "../client-view.ts";
import type { Access } from "./access.ts";
import { readJsonBody } from "./request-body.ts";
import { BodyLoad } from "./body-load.ts";
import { type Endpoint, Endpoints } from "./endpoints.ts";
import { LegacyClients } from "./legacy.ts";
import { ModernPosts, hasModernVersion, isModern } from "./modern.ts";
import type { KeepAlive } from "./keep-alive.ts";
import { pathOf, routeOf } from "./routes.ts";
import { Sessions } from "./sessions.ts";
import { refuse, writeJson } from "./http-responses.ts";

const ROUTES = "The addresses are /mcp, /mcp/{toolbox} and /mcp/{toolbox}/{server}";

/** Handles every HTTP request: first who sends it, then what it asks for. */
export class Handler {
  readonly #workbench: Workbench;
  readonly #view: ClientView;
  readonly #access: Access;
  readonly #keepAlive: KeepAlive;
  readonly #endpoints: Endpoints;
  readonly #sessions: Sessions;
  readonly #legacy: LegacyClients;
  readonly #modern: ModernPosts;
  readonly #bodies = new BodyLoad();
  #closing = false;

  constructor(workbench: Workbench, view: ClientView, access: Access, keepAlive: KeepAlive) {
    this.#workbench = workbench;
    this.#view = view;
    this.#access = access;
    this.#keepAlive = keepAlive;
    this.#endpoints = new Endpoints(workbench, view);
    this.#sessions = new Sessions(workbench, keepAlive);
    this.#legacy = new LegacyClients(this.#sessions, keepAlive);
    this.#modern = new ModernPosts(keepAlive);
  }

  get sessions(): number {
    return this.#sessions.size;
  }

  readonly handle = (request: IncomingMessage, response: HttpResponse): void =>
    guarded(response, () => {
      const foreign = this.#access.foreign(request);
      if (foreign !== undefined) {
        refuse(response, foreign);
        return;
      }
      const target = request.url ?? "";
      const route = routeOf(target);
      if (route.kind === "health") {
        this.#read(request, response, () => ({ status: "ok" }));
        return;
      }
      const unauthorized = this.#access.unauthorized(request);
      if (unauthorized !== undefined)
        refuse(response, unauthorized, "null", { "www-authenticate": "Bearer" });
      else if (this.#closing)
        refuse(response, workbenchError("WORKBENCH_CLOSED", {}), "null", { connection: "close" });
      else if (route.kind === "mcp") this.#mcp(route.names, request, response);
      else if (route.kind === "status")
        this.#read(request, response, () => statusOf(this.#workbench, this.#view, this.sessions));
      else refuse(response, workbenchError("NOTHING_HERE", { path: pathOf(target) }, ROUTES));
    });

  refuseNew(): void {
    this.#closing = true;
  }

  /** Ends all sessions and streams; requests in flight are answered with an error. */
  async close(): Promise<void> {
    this.refuseNew();
    this.#sessions.close();
    this.#endpoints.close();
    // Requests that end with their endpoint, such as subscriptions, have been answered at this
    // point.
    await new Promise((resolve) => setImmediate(resolve));
    this.#modern.close();
    this.#keepAlive.stop();
  }

  #read(request: IncomingMessage, response: HttpResponse, content: () => unknown): void {
    if (request.method === "GET" || request.method === "HEAD")
      writeJson(response, 200, [JSON.stringify(content())]);
    else refuseMethod(request, response, "GET");
  }

  #mcp(names: readonly string[], request: IncomingMessage, response: HttpResponse): void {
    const endpoint = this.#endpoints.find(names);
    if (isWorkbenchError(endpoint)) refuse(response, endpoint);
    else if (request.method === "POST") this.#post(endpoint, request, response);
    else if (hasModernVersion(request)) refuseMethod(request, response, "POST");
    else if (request.method === "GET") this.#legacy.get(endpoint, request, response);
    else if (request.method === "DELETE") this.#legacy.delete(endpoint, request, response);
    else refuseMethod(request, response, "POST, GET, DELETE");
  }

  #post(endpoint: Endpoint, request: IncomingMessage, response: HttpResponse): void {
    const { bodyBytes } = this.#workbench.settings.http;
    readJsonBody(request, response, bodyBytes, this.#bodies, (body) =>
      guarded(response, () => {
        const clients = isModern(request, body.message) ? this.#modern : this.#legacy;
        clients.post(endpoint, request, response, body);
      }),
    );
  }
}

function refuseMethod(request: IncomingMessage, response: HttpResponse, allow: string): void {
  const error = workbenchError("METHOD_NOT_ALLOWED", { method: request.method ?? "" });
  refuse(response, error, "null", { allow });
}

/** An error in the workbench fails one request, not the whole program. */
function guarded(response: HttpResponse, work: () => void): void {
  try {
    work();
  } catch (error) {
    if (response.headersSent) response.destroy();
    else refuse(response, workbenchError("INTERNAL", { reason: reasonOf(error) }));
  }
}
