import { serverOutput } from "../server-output.ts";
import type { ServerRef } from "../../calls/identifier.ts";
import type { Server } from "../../servers/server.ts";
import { addedLines } from "../../text/log-filter.ts";
import type { DashboardEvent, ServerSummary } from "../contract.ts";

/** A server as a page knows it. */
interface Known {
  readonly text: string;
  readonly stderr: readonly string[];
}

/** Finds out what has changed about servers since the last time. */
export class ServerChanges {
  readonly #summaryOf: (server: Server) => ServerSummary;
  readonly #stderrOf: (server: Server) => readonly string[];
  #known = new Map<string, Known>();

  constructor(
    summaryOf: (server: Server) => ServerSummary,
    stderrOf: (server: Server) => readonly string[] = serverOutput,
  ) {
    this.#summaryOf = summaryOf;
    this.#stderrOf = stderrOf;
  }

  /** The events about these servers; none the first time. */
  events(servers: readonly Server[]): DashboardEvent[] {
    const changed: ServerSummary[] = [];
    const events: DashboardEvent[] = [];
    const next = new Map<string, Known>();
    for (const server of servers) {
      const summary = this.#summaryOf(server);
      const text = JSON.stringify(summary);
      const stderr = this.#stderrOf(server);
      const key = keyOf(summary);
      const before = this.#known.get(key);
      next.set(key, { text, stderr });
      if (before === undefined) continue;
      if (before.text !== text) changed.push(summary);
      const lines = addedLines(before.stderr, stderr);
      const { toolbox, server: name } = summary;
      if (lines.length > 0) events.push({ type: "stderr", toolbox, server: name, lines });
    }
    const isSameList =
      next.size === this.#known.size && [...next.keys()].every((key) => this.#known.has(key));
    if (!isSameList && this.#known.size > 0)
      events.push({ type: "changed", topics: ["servers", "tools"] });
    this.#known = next;
    return changed.length === 0 ? events : [{ type: "servers", servers: changed }, ...events];
  }

  clear(): void {
    this.#known = new Map();
  }
}

function keyOf({ toolbox, server }: ServerRef): string {
  return `${toolbox}/${server}`;
}
