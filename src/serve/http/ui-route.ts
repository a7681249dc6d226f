import type { IncomingMessage, ServerResponse as HttpResponse } from "node:http";

import { isWorkbenchError, reasonOf, workbenchError } from "../../errors.ts";
import { OnDemand } from "../../workbench/on-demand.ts";
import type { Workbench } from "../../workbench/workbench.ts";
import type { ClientView } from "../client-view.ts";
import type { Access } from "./access.ts";
import { refuse } from "./http-responses.ts";
import { pathOf } from "./routes.ts";

/** The dashboard, as far as an HTTP server needs it. */
export interface DashboardFront {
  /** Handles a request below `/ui` whose Host and Origin have been checked. */
  handle(request: IncomingMessage, response: HttpResponse): void;
  /** A link below this address that signs in one browser. */
  newLink(url: string): string;
  close(): void;
}

/** Loads the dashboard of a workbench. */
export type OpenDashboard = (shown: {
  readonly workbench: Workbench;
  readonly view: ClientView;
  readonly sessions: () => number;
}) => Promise<DashboardFront>;

type Handle = (request: IncomingMessage, response: HttpResponse) => void;

/**
 * The addresses below `/ui`. Browsers cannot send a token with the first request, so the dashboard has sessions of its
 * own. It is loaded when it is first used.
 */
export class UiRoute {
  readonly #access: Access;
  readonly #dashboard: OnDemand<DashboardFront>;
  #closed = false;

  constructor(access: Access, load: () => Promise<DashboardFront>) {
    this.#access = access;
    this.#dashboard = new OnDemand(load);
  }

  /** Handles what is for the dashboard, and gives everything else to the other handler. */
  before(others: Handle): Handle {
    return (request, response) => {
      if (this.#concerns(request)) this.#handle(request, response);
      else others(request, response);
    };
  }

  async newLink(url: string): Promise<string> {
    return (await this.#dashboard.load()).newLink(url);
  }

  close(): void {
    this.#closed = true;
    void this.#dashboard.ifLoaded((dashboard) => dashboard.close());
  }

  /** For the bearer of an access token there is nothing here, and a wrong token is refused as elsewhere. */
  #concerns(request: IncomingMessage): boolean {
    const path = pathOf(request.url ?? "");
    if (this.#closed || (path !== "/ui" && !path.startsWith("/ui/"))) return false;
    if (request.headers.authorization === undefined) return true;
    const principal = this.#access.identify(request);
    // Only a user of an identity provider has to be waited for.
    if (principal instanceof Promise) return false;
    return !isWorkbenchError(principal) && principal.kind === "owner";
  }

  #handle(request: IncomingMessage, response: HttpResponse): void {
    const foreign = this.#access.foreign(request);
    if (foreign !== undefined) {
      refuse(response, foreign);
      return;
    }
    this.#dashboard.load().then(
      (dashboard) => dashboard.handle(request, response),
      (error: unknown) => refuse(response, workbenchError("INTERNAL", { reason: reasonOf(error) })),
    );
  }
}
