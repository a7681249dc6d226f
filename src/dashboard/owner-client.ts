import { OWNER_PRINCIPAL } from "../calls/principal.ts";
import type { ToolIdentifier } from "../calls/identifier.ts";
import type { Answer } from "../embed/answer.ts";
import { LocalClient } from "../embed/local-client.ts";
import type { Connection } from "../servers/connection/connection.ts";
import type { Server } from "../servers/server.ts";
import { VERSION } from "../version.ts";
import type { Scope } from "../workbench/scopes.ts";
import type { Workbench } from "../workbench/workbench.ts";

/** Servers with a connection for each client keep one for the dashboard until then. */
const IDLE_MS = 5 * 60_000;

/** The client for which the dashboard calls tools: the owner, with a session like any other client. */
export class OwnerClient {
  readonly #workbench: Workbench;
  readonly #scope: Scope;
  #client: LocalClient | undefined;
  #inUse = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(workbench: Workbench, scope: Scope) {
    this.#workbench = workbench;
    this.#scope = scope;
  }

  connect(server: Server): Promise<Connection> {
    return this.#use((client) => client.connect(server));
  }

  /** Calls a tool with arguments given as JSON text. */
  callTool(tool: ToolIdentifier, args: string, signal: AbortSignal): Promise<Answer> {
    return this.#use((client) => client.callTool(tool, args, { signal }));
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#client?.close();
    this.#client = undefined;
  }

  async #use<T>(work: (client: LocalClient) => Promise<T>): Promise<T> {
    clearTimeout(this.#timer);
    this.#inUse++;
    this.#client ??= new LocalClient(
      this.#workbench,
      { info: { name: "mcp-workbench-dashboard", version: VERSION } },
      { principal: OWNER_PRINCIPAL, from: this.#scope },
    );
    try {
      return await work(this.#client);
    } finally {
      this.#inUse--;
      if (this.#inUse === 0) this.#timer = setTimeout(() => this.close(), IDLE_MS).unref();
    }
  }
}
