import type { SignInUser, ToolboxSettings } from "../config/types.ts";
import type { Server } from "../servers/server.ts";
import { type ConnectServer, type ExplainFailure, type OpenResult, openServers } from "./open.ts";
import type { ToolboxView } from "./toolbox.ts";

/**
 * Some servers of a toolbox. For those who see it, the toolbox has no others. Where each user signs in separately,
 * it has the server of its user.
 */
export class RestrictedToolbox implements ToolboxView {
  readonly name: string;
  readonly servers: ReadonlyMap<string, Server>;
  readonly #toolbox: ToolboxView;
  readonly #isAllowed: (server: string) => boolean;
  readonly #user: SignInUser | undefined;
  readonly #servers = new Map<string, Server>();
  #settings: ToolboxSettings;

  constructor(toolbox: ToolboxView, isAllowed: (server: string) => boolean, user?: SignInUser) {
    this.name = toolbox.name;
    this.servers = this.#servers;
    this.#toolbox = toolbox;
    this.#isAllowed = isAllowed;
    this.#user = user;
    this.#settings = toolbox.settings;
    this.update();
  }

  get settings(): ToolboxSettings {
    return this.#settings;
  }

  open(connect: ConnectServer, explain?: ExplainFailure): Promise<OpenResult> {
    return openServers(this.servers.values(), connect, explain);
  }

  serverFor(name: string, user: SignInUser): Server | undefined {
    return this.#servers.has(name) ? this.#toolbox.serverFor(name, user) : undefined;
  }

  /** Takes over what has changed in the toolbox. */
  update(): void {
    const { servers, settings } = this.#toolbox;
    const isAllowed = this.#isAllowed;
    this.#servers.clear();
    const user = this.#user;
    for (const [name, server] of servers) {
      if (!isAllowed(name)) continue;
      const shown = user === undefined ? server : this.#toolbox.serverFor(name, user);
      if (shown !== undefined) this.#servers.set(name, shown);
    }
    const shown = [...settings.servers].filter(([name]) => isAllowed(name));
    this.#settings = { ...settings, servers: new Map(shown) };
  }
}
