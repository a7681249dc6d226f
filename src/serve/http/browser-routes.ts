import type { IncomingMessage, ServerResponse as HttpResponse } from "node:http";

import { workbenchError } from "../../errors.ts";
import type { Workbench } from "../../workbench/workbench.ts";
import type { ClientView } from "../client-view.ts";
import type { Access } from "./access.ts";
import { loginsBefore } from "./login-route.ts";
import { type OpenDashboard, UiRoute } from "./ui-route.ts";

export type { OpenDashboard } from "./ui-route.ts";

type Handle = (request: IncomingMessage, response: HttpResponse) => void;

export interface BrowserRoutesOptions {
  readonly workbench: Workbench;
  readonly view: ClientView;
  readonly access: Access;
  readonly sessions: () => number;
  /** Loads the dashboard; without it, there is none. */
  readonly dashboard: OpenDashboard | undefined;
}

/** What browsers open, which cannot send a token: the dashboard, and links for sign-ins. */
export class BrowserRoutes {
  readonly #options: BrowserRoutesOptions;
  readonly #ui: UiRoute | undefined;

  constructor(options: BrowserRoutesOptions) {
    const { dashboard, workbench, view, sessions, access } = options;
    this.#options = options;
    this.#ui = dashboard && new UiRoute(access, () => dashboard({ workbench, view, sessions }));
  }

  /** Handles what is for browsers, and gives everything else to the other handler. */
  before(others: Handle): Handle {
    const { workbench, access } = this.#options;
    return loginsBefore(workbench, access, this.#ui?.before(others) ?? others);
  }

  /** A link to the dashboard below this address that signs in one browser. */
  async dashboardLink(url: string): Promise<string> {
    if (this.#ui === undefined) throw workbenchError("NOTHING_HERE", { path: "/ui" });
    return this.#ui.newLink(url);
  }

  close(): void {
    this.#ui?.close();
  }
}
