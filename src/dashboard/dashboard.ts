import type { IncomingMessage, ServerResponse as HttpResponse } from "node:http";

import { CODE_PARAMETER } from "./contract.ts";
import { type ShownWorkbench, createContext } from "./create-context.ts";
import { UiRequests } from "./http/requests.ts";
import { UiSessions } from "./http/sessions.ts";

/** How often sessions that are too old are ended, also those of open pages. */
const EXPIRE_MS = 60_000;

/** The dashboard of one workbench: the pages, their data and their events. */
export class Dashboard {
  readonly #sessions = new UiSessions();
  readonly #requests: UiRequests;
  readonly #pages: () => number;
  readonly #close: () => void;

  constructor(shown: ShownWorkbench) {
    const { context, feed } = createContext(shown);
    this.#pages = () => feed.size;
    this.#requests = new UiRequests(context, feed, this.#sessions);
    const timer = setInterval(() => this.#sessions.expire(), EXPIRE_MS).unref();
    this.#close = () => {
      clearInterval(timer);
      feed.close();
      this.#sessions.close();
      context.client.close();
    };
  }

  /** The number of pages that are open. */
  get pages(): number {
    return this.#pages();
  }

  /** Handles a request below `/ui` whose Host and Origin have been checked. */
  readonly handle = (request: IncomingMessage, response: HttpResponse): void =>
    this.#requests.handle(request, response);

  /**
   * A link that signs in one browser, within a minute. The code is in the fragment, which browsers send neither to servers
   * nor to other pages.
   */
  newLink(url: string): string {
    return `${url}/ui/#${CODE_PARAMETER}=${this.#sessions.newCode()}`;
  }

  /** Ends all sessions and streams. */
  close(): void {
    this.#close();
  }
}

/** Called when the dashboard is first used. */
export function createDashboard(shown: ShownWorkbench): Dashboard {
  return new Dashboard(shown);
}
