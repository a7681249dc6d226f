import { LOCAL_PRINCIPAL, type Principal } from "../calls/principal.ts";
import type { SharedUse } from "../protocol/client-profile.ts";
import { CatalogueSurface } from "../serve/surface/catalogue-surface.ts";
import { ProxyTools } from "../serve/surface/proxy-tools.ts";
import { Session } from "../serve/legacy/session.ts";
import type { Connection } from "../servers/connection/connection.ts";
import type { Server } from "../servers/server.ts";
import type { Workbench } from "../workbench/workbench.ts";
import { type ClientHandlers, EmbeddedClient, type OpenSession } from "./embedded-client.ts";

export type { CallOptions, ClientHandlers, OnElicitation } from "./embedded-client.ts";

/** For whom a client calls. */
export interface Represented {
  readonly principal: Principal;
  /** The toolboxes of which it may use what its principal may. */
  readonly from: Parameters<Workbench["scopes"]["restrict"]>[0];
  /** Set if it uses servers together with clients of a shared workbench. */
  readonly shared?: SharedUse | undefined;
}

/** A client of a workbench in the same process: the library and the command line. */
export class LocalClient extends EmbeddedClient {
  readonly #caller: Session["caller"];

  constructor(workbench: Workbench, handlers: ClientHandlers = {}, represented?: Represented) {
    const { principal = LOCAL_PRINCIPAL, from = workbench.toolboxes, shared } = represented ?? {};
    let caller: Session["caller"] | undefined;
    super((...args) => {
      const session = sessionIn(workbench, { principal, from, shared })(...args);
      ({ caller } = session);
      return session;
    }, handlers);
    this.#caller = caller as unknown as Session["caller"];
  }

  /** The toolboxes that it may use. */
  get scope(): Session["caller"]["scope"] {
    return this.#caller.scope;
  }

  /** Connects a server; throws the reason if that fails. */
  connect(server: Server): Promise<Connection> {
    return this.#caller.connect(server);
  }
}

interface LocalSession extends ReturnType<OpenSession> {
  readonly caller: Session["caller"];
}

const sessionIn =
  (
    workbench: Workbench,
    { principal, from, shared }: Represented,
  ): ((...args: Parameters<OpenSession>) => LocalSession) =>
  (output, onFailure) => {
    const scope = workbench.scopes.restrict(from, principal);
    const session = new Session(
      workbench,
      scope,
      () => new CatalogueSurface(workbench, new ProxyTools(workbench, scope, principal, () => {})),
      output,
      { principal, onFailure, shared },
    );
    return {
      caller: session.caller,
      call: (request) => session.caller.call(request),
      notification: (notification) => session.notification(notification),
      response: (response, text) => session.response(response, text),
      close: () => session.close(),
    };
  };
