import type { IncomingMessage, ServerResponse as HttpResponse } from "node:http";

import type { Principal } from "../../calls/principal.ts";
import { type WorkbenchError, isWorkbenchError, reasonOf, workbenchError } from "../../errors.ts";
import type { Workbench } from "../../workbench/workbench.ts";
import type { ClientView } from "../client-view.ts";
import type { Access } from "./access.ts";
import { readJsonBody } from "./request-body.ts";
import { BodyLoad } from "./body-load.ts";
import type { Endpoint } from "./endpoints.ts";
import { hasModernVersion, isModern } from "./modern.ts";
import type { KeepAlive } from "./keep-alive.ts";
import { PrincipalClients } from "./principal-clients.ts";
import { answerOwner } from "./owner-routes.ts";
import { type Route, pathOf, routeOf } from "./routes.ts";
import { answerRead, refuse, refuseMethod } from "./http-responses.ts";

const NO_LONGER_VALID = workbenchError("UNAUTHORIZED", { reason: "the token is not valid" });
const ROUTES = "The addresses are /mcp, /mcp/{toolbox} and /mcp/{toolbox}/{server}";

/** Handles every HTTP request: first who sends it, then what it asks for. */
export class Handler {
  readonly #workbench: Workbench;
  readonly #view: ClientView;
  readonly #access: Access;
  readonly #keepAlive: KeepAlive;
  readonly #clients = new Map<Principal, PrincipalClients>();
  readonly #bodies = new BodyLoad();
  #closing = false;

  constructor(workbench: Workbench, view: ClientView, access: Access, keepAlive: KeepAlive) {
    this.#workbench = workbench;
    this.#view = view;
    this.#access = access;
    this.#keepAlive = keepAlive;
  }

  get sessions(): number {
    return [...this.#clients.values()].reduce((sum, { sessions }) => sum + sessions, 0);
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
        answerRead(request, response, () => ({ status: "ok" }));
        return;
      }
      const principal = this.#access.identify(request);
      if (isWorkbenchError(principal)) refuseClient(response, principal);
      else if (this.#closing)
        refuse(response, workbenchError("WORKBENCH_CLOSED", {}), "null", { connection: "close" });
      else if (route.kind === "mcp") this.#mcp(principal, route.names, request, response);
      else if (principal.kind !== "owner" || !this.#answerOwner(route, request, response))
        refuse(response, workbenchError("NOTHING_HERE", { path: pathOf(target) }, ROUTES));
    });

  refuseNew(): void {
    this.#closing = true;
  }

  /** The access of a principal has ended: ends its sessions, streams and calls. */
  end(principal: Principal): void {
    const clients = this.#clients.get(principal);
    this.#clients.delete(principal);
    if (clients !== undefined)
      this.#workbench.host.log.info("access has ended", { client: principal.name });
    void clients?.close(NO_LONGER_VALID);
  }

  /** Ends all sessions and streams; requests in flight are answered with an error. */
  async close(): Promise<void> {
    this.refuseNew();
    await Promise.all(Array.from(this.#clients.values(), (clients) => clients.close()));
    this.#keepAlive.stop();
  }

  #answerOwner(route: Route, request: IncomingMessage, response: HttpResponse): boolean {
    const { sessions } = this;
    return answerOwner(route, request, response, {
      workbench: this.#workbench,
      view: this.#view,
      sessions,
    });
  }

  #mcp(
    principal: Principal,
    names: readonly string[],
    request: IncomingMessage,
    response: HttpResponse,
  ): void {
    const clients = this.#clientsOf(principal);
    const endpoint = clients.endpoints.find(names);
    if (isWorkbenchError(endpoint)) refuse(response, endpoint);
    else if (request.method === "POST") this.#post(clients, endpoint, request, response);
    else if (hasModernVersion(request)) refuseMethod(request, response, "POST");
    else if (request.method === "GET") clients.legacy.get(endpoint, request, response);
    else if (request.method === "DELETE") clients.legacy.delete(endpoint, request, response);
    else refuseMethod(request, response, "POST, GET, DELETE");
  }

  #post(
    clients: PrincipalClients,
    endpoint: Endpoint,
    request: IncomingMessage,
    response: HttpResponse,
  ): void {
    const { bodyBytes } = this.#workbench.settings.http;
    readJsonBody(request, response, bodyBytes, this.#bodies, (body) =>
      guarded(response, () => {
        // The access may have ended while the body arrived.
        if (clients.isClosed) refuseClient(response, NO_LONGER_VALID);
        else {
          const { modern, legacy } = clients;
          const posts = isModern(request, body.message) ? modern : legacy;
          const post = (): void => posts.post(endpoint, request, response, body);
          const { telemetry } = this.#workbench.pipeline.observers;
          if (telemetry === undefined) post();
          else telemetry.during(request.headers, post);
        }
      }),
    );
  }

  #clientsOf(principal: Principal): PrincipalClients {
    const known = this.#clients.get(principal);
    if (known !== undefined) return known;
    const clients = new PrincipalClients(this.#workbench, this.#view, principal, this.#keepAlive);
    this.#clients.set(principal, clients);
    return clients;
  }
}

function refuseClient(response: HttpResponse, error: WorkbenchError): void {
  refuse(response, error, "null", { "www-authenticate": "Bearer" });
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
