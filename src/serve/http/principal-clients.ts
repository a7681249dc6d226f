import type { Principal } from "../../calls/principal.ts";
import { type WorkbenchError, workbenchError } from "../../errors.ts";
import type { Workbench } from "../../workbench/workbench.ts";
import type { ClientView } from "../client-view.ts";
import { Endpoints } from "./endpoints.ts";
import type { Connections } from "./connections.ts";
import { LegacyClients } from "./legacy.ts";
import { ModernPosts } from "./modern.ts";
import type { Placement } from "./placement.ts";
import { Sessions } from "./sessions.ts";

/**
 * The clients of one principal: sessions, streams, requests in flight and calls that wait for input.
 * Other principals have their own, so ids of one do not exist for the others, and no principal can
 * use up the sessions of another.
 */
export class PrincipalClients {
  readonly endpoints: Endpoints;
  readonly legacy: LegacyClients;
  readonly modern: ModernPosts;
  readonly #sessions: Sessions;
  readonly #endResults: () => void;
  #isClosed = false;

  constructor(
    workbench: Workbench,
    served: ClientView,
    principal: Principal,
    connections: Connections,
    placement: Placement | undefined,
  ) {
    this.endpoints = new Endpoints(workbench, served, principal);
    this.#sessions = new Sessions(workbench, connections, placement);
    this.legacy = new LegacyClients(this.#sessions, connections.keepAlive);
    this.modern = new ModernPosts(connections.keepAlive);
    this.#endResults = () => workbench.pipeline.results.end(principal);
  }

  get sessions(): number {
    return this.#sessions.size;
  }

  /** True once the access of the principal has ended. */
  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Ends what is sent to clients without a request for each message. */
  endStreams(): void {
    this.#sessions.endStreams();
    this.endpoints.endStreams();
  }

  /** Ends all sessions and streams; requests in flight are answered with the reason. */
  async close(reason: WorkbenchError = workbenchError("CUT_OFF", {})): Promise<void> {
    this.#isClosed = true;
    this.#sessions.close(reason);
    this.endpoints.close();
    // Requests that end with their endpoint, such as subscriptions, have been answered at this
    // point.
    await new Promise((resolve) => setImmediate(resolve));
    this.modern.close(reason);
    this.#endResults();
  }
}
