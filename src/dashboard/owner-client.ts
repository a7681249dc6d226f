import { OWNER_PRINCIPAL, type Principal } from "../calls/principal.ts";
import type { ToolIdentifier } from "../calls/identifier.ts";
import type { Answer } from "../embed/answer.ts";
import { type CallOptions, LocalClient } from "../embed/local-client.ts";
import type { Connection } from "../servers/connection/connection.ts";
import type { Server } from "../servers/server.ts";
import { VERSION } from "../version.ts";
import type { Scope } from "../workbench/scopes.ts";
import type { Workbench } from "../workbench/workbench.ts";

/** Servers with a connection for each client keep one for the dashboard until then. */
const IDLE_MS = 5 * 60_000;

/** The page shows approvals in its own way. */
const PRINCIPAL: Principal = { ...OWNER_PRINCIPAL, seesApprovals: true };
/** Among clients that share servers, the dashboard is one more; its servers are started as for the workbench itself. */
const SHARED = {
  principal: { ...PRINCIPAL, client: "dashboard" },
  shared: { sharesAll: true, startOf: () => undefined },
};

const HANDLERS = {
  info: { name: "mcp-workbench-dashboard", version: VERSION },
  capabilities: { elicitation: { form: {}, url: {} } },
  // What belongs to no call of a page cannot be shown.
  questions: { "elicitation/create": () => Promise.resolve({ action: "cancel" }) },
};

/** The client for which the dashboard calls tools: the owner, with a session like any other client. */
export class OwnerClient {
  readonly #workbench: Workbench;
  readonly #scope: Scope;
  readonly #isShared: boolean;
  #client: LocalClient | undefined;
  #inUse = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(workbench: Workbench, scope: Scope, isShared = false) {
    this.#workbench = workbench;
    this.#scope = scope;
    this.#isShared = isShared;
  }

  connect(server: Server): Promise<Connection> {
    return this.#use((client) => client.connect(server));
  }

  /** Calls a tool with arguments given as JSON text. */
  callTool(tool: ToolIdentifier, args: string, options: CallOptions): Promise<Answer> {
    return this.#use((client) => client.callTool(tool, args, options));
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#client?.close();
    this.#client = undefined;
  }

  async #use<T>(work: (client: LocalClient) => Promise<T>): Promise<T> {
    clearTimeout(this.#timer);
    this.#inUse++;
    this.#client ??= new LocalClient(this.#workbench, HANDLERS, {
      principal: PRINCIPAL,
      ...(this.#isShared && SHARED),
      from: this.#scope,
    });
    try {
      return await work(this.#client);
    } finally {
      this.#inUse--;
      if (this.#inUse === 0) this.#timer = setTimeout(() => this.close(), IDLE_MS).unref();
    }
  }
}
