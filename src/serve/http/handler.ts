import type { IncomingMessage, ServerResponse as HttpResponse } from "node:http";

import type { Principal } from "../../calls/principal.ts";
import { type WorkbenchError, isWorkbenchError, reasonOf, workbenchError } from "../../errors.ts";
import type { Workbench } from "../../workbench/workbench.ts";
import type { ClientView } from "../client-view.ts";
import type { Access, Identity } from "./access.ts";
import { type Body, RequestBodies, parseBody } from "./request-body.ts";
import type { Endpoint } from "./endpoints.ts";
import { hasModernVersion, isModern } from "./modern.ts";
import { Connections } from "./connections.ts";
import type { Placement } from "./placement.ts";
import { PrincipalClients } from "./principal-clients.ts";
import { answerOwner, answerProbe } from "./plain-routes.ts";
import { type Route, pathOf, routeOf } from "./routes.ts";
import { refuse, refuseMethod } from "./http-responses.ts";

const NO_LONGER_VALID = workbenchError("UNAUTHORIZED", { reason: "the token is not valid" });
const PLAIN_CHALLENGE = { "www-authenticate": "Bearer" };
const ROUTES = "The addresses are /mcp, /mcp/{toolbox} and /mcp/{toolbox}/{server}";

/** Handles every HTTP request: first who sends it, then what it asks for. */
export class Handler {
  readonly #workbench: Workbench;
  readonly #view: ClientView;
  readonly #access: Access;
  readonly #connections: Connections;
  readonly #clients = new Map<Principal, PrincipalClients>();
  readonly #bodies: RequestBodies;
  /** Which replica has which session; undefined without replicas. */
  readonly #placement: Placement | undefined;
  #closing = false;

  constructor(
    workbench: Workbench,
    view: ClientView,
    access: Access,
    keepAliveMs: number,
    placement?: Placement,
  ) {
    this.#placement = placement;
    this.#bodies = new RequestBodies(() => workbench.settings.http.bodyBytes);
    this.#workbench = workbench;
    this.#view = view;
    this.#access = access;
    this.#connections = new Connections(keepAliveMs);
  }

  get sessions(): number {
    return [...this.#clients.values()].reduce((sum, { sessions }) => sum + sessions, 0);
  }

  readonly handle = (request: IncomingMessage, response: HttpResponse): void =>
    guarded(response, () => {
      // A replica that passes a request on has checked where it comes from.
      const isFromReplica = this.#placement?.isFromReplica(request) === true;
      if (isFromReplica && this.#placement?.answer(request, response)) return;
      const foreign = isFromReplica ? undefined : this.#access.foreign(request);
      if (foreign !== undefined) {
        refuse(response, foreign);
        return;
      }
      const route = routeOf(request.url ?? "");
      if (route.kind === "health" || route.kind === "ready") {
        const isUp = this.#workbench.host.cluster?.isUp;
        const isDraining = this.#closing || this.#placement?.isDraining === true;
        answerProbe(route.kind, request, response, { isDraining, isUp });
        return;
      }
      if (
        route.kind === "resource" &&
        this.#access.resource?.answer(route.names, request, response)
      )
        return;
      const found = this.#access.identify(request);
      if (found instanceof Promise) this.#later(found, route, request, response);
      else this.#answer(found, route, request, response);
    });

  #later(
    identity: Promise<Identity>,
    route: Route,
    request: IncomingMessage,
    response: HttpResponse,
  ): void {
    identity.then(
      (found) => guarded(response, () => this.#answer(found, route, request, response)),
      (error: unknown) => refuse(response, workbenchError("INTERNAL", { reason: reasonOf(error) })),
    );
  }

  #answer(found: Identity, route: Route, request: IncomingMessage, response: HttpResponse): void {
    const target = request.url ?? "";
    if (response.destroyed) return;
    if (isWorkbenchError(found)) this.#refuseClient(response, found, route, request);
    else if (this.#closing)
      refuse(response, workbenchError("WORKBENCH_CLOSED", {}), "null", { connection: "close" });
    else if (route.kind === "mcp") this.#mcp(found, route.names, request, response);
    else if (found.kind !== "owner" || !this.#answerOwner(route, request, response))
      refuse(response, workbenchError("NOTHING_HERE", { path: pathOf(target) }, ROUTES));
  }

  #refuseClient(
    response: HttpResponse,
    error: WorkbenchError,
    route: Route,
    { headers }: IncomingMessage,
  ): void {
    const { resource } = this.#access;
    const challenge = resource?.challenge(route, error, headers.authorization !== undefined);
    refuse(response, error, "null", challenge ?? PLAIN_CHALLENGE);
  }

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

  /** A principal has to identify itself again: ends its streams. */
  pause(principal: Principal): void {
    this.#clients.get(principal)?.endStreams();
  }

  /** Whether a call waits for a client to return with input. */
  get isAsked(): boolean {
    return [...this.#clients.values()].some(({ endpoints }) => endpoints.isAsked);
  }

  /** Ends the streams of all clients, who open them again. */
  endStreams(): void {
    for (const clients of this.#clients.values()) clients.endStreams();
  }

  /** Ends all sessions and streams; requests in flight are answered with an error. */
  async close(): Promise<void> {
    this.refuseNew();
    await Promise.all(Array.from(this.#clients.values(), (clients) => clients.close()));
    this.#connections.keepAlive.stop();
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
    if (this.#access.resource?.refuses(principal, names, response)) return;
    const clients = this.#clientsOf(principal);
    const endpoint = clients.endpoints.find(names);
    if (isWorkbenchError(endpoint)) refuse(response, endpoint);
    else if (this.#placement === undefined || !isOfSession(request))
      this.#serve(clients, endpoint, request, response);
    else
      this.#placement.place({
        principal,
        endpoint,
        request,
        response,
        restore: (session) => clients.legacy.restore(endpoint, session),
        readBody: () => this.#bodies.bytesOf(request, response),
        here: (body) =>
          guarded(response, () => this.#serve(clients, endpoint, request, response, body)),
      });
  }

  #serve(
    clients: PrincipalClients,
    endpoint: Endpoint,
    request: IncomingMessage,
    response: HttpResponse,
    body?: Buffer,
  ): void {
    if (request.method === "POST") this.#post(clients, endpoint, request, response, body);
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
    bytes?: Buffer,
  ): void {
    const onBytes = (read: Buffer): void => parseBody(read, response, (body) => onBody(body, read));
    const onBody = (body: Body, read: Buffer): void =>
      guarded(response, () => {
        // The access may have ended while the body arrived.
        if (clients.isClosed) refuse(response, NO_LONGER_VALID, "null", PLAIN_CHALLENGE);
        else {
          const { modern, legacy } = clients;
          const isStateless = isModern(request, body);
          const posts = isStateless ? modern : legacy;
          const post = (): void => posts.post(endpoint, request, response, body);
          const { telemetry } = this.#workbench.pipeline.observers;
          const here = (): void =>
            telemetry === undefined ? post() : telemetry.during(request.headers, post);
          // A replica that uses a server here has found it.
          const isPlaced = isStateless && endpoint.principal.kind !== "replica";
          const placement = isPlaced ? this.#placement : undefined;
          const isElsewhere = placement?.placeModern({
            request,
            response,
            bytes: read,
            body,
            here: () => guarded(response, here),
          });
          if (isElsewhere !== true) here();
        }
      });
    if (bytes !== undefined) onBytes(bytes);
    else this.#bodies.read(request, response, onBytes);
  }

  #clientsOf(principal: Principal): PrincipalClients {
    const known = this.#clients.get(principal);
    if (known !== undefined) return known;
    const clients = new PrincipalClients(
      this.#workbench,
      this.#view,
      principal,
      this.#connections,
      this.#placement,
    );
    this.#clients.set(principal, clients);
    return clients;
  }
}

/** Modern requests have no session, whatever their headers say. */
function isOfSession(request: IncomingMessage): boolean {
  return request.headers["mcp-session-id"] !== undefined && !hasModernVersion(request);
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
