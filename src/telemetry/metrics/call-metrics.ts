import type { ServerRef } from "../../calls/identifier.ts";
import type { Ended } from "../ended.ts";
import type { Operation } from "../operation.ts";
import { BoundedNames } from "./bounded-names.ts";
import { Counter, Histogram } from "./instruments.ts";
import type { Attributes, MetricData } from "./metric-data.ts";

/** The bounds that the conventions for MCP recommend, in seconds. */
const SECONDS = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60, 120, 300];
/** Codes that metrics tell apart: servers may invent any number of them. */
const MAX_ERROR_TYPES = 50;
/** The convention's own name for errors without a name. */
const OTHER_ERROR = "_OTHER";

const duration = (name: string, description: string): Histogram =>
  new Histogram(
    {
      name: `mcp.${name}.duration`,
      prometheusName: `mcp_${name.replaceAll(".", "_")}_duration_seconds`,
      unit: "s",
      description,
    },
    SECONDS,
  );

const counter = (name: string, unit: string, description: string): Counter =>
  new Counter({
    name: `workbench.${name}`,
    prometheusName: `workbench_${name.replaceAll(".", "_")}_total`,
    unit,
    description,
  });

/** What is measured of calls and sessions. */
export class CallMetrics {
  readonly #served = duration("server.operation", "Requests of clients, until they were answered");
  readonly #sent = duration(
    "client.operation",
    "Requests to servers, and of servers to clients, until they were answered",
  );
  readonly #clientSessions = duration("server.session", "Sessions of clients that have ended");
  readonly #serverSessions = duration("client.session", "Connections to servers that have ended");
  readonly #calls = counter(
    "calls",
    "{call}",
    "Calls by how they ended, those of scripts included",
  );
  readonly #received = counter("request_bytes", "By", "Size of the requests of clients");
  readonly #answered = counter("response_bytes", "By", "Size of the answers to clients");
  readonly #denied = counter("policy_denied", "{call}", "Calls that the policy or the user denied");
  readonly #errorTypes = new BoundedNames(MAX_ERROR_TYPES, OTHER_ERROR);
  /** Requests that have not been answered. */
  inFlight = 0;

  onServed(operation: Operation, ended: Ended, ms: number): void {
    this.#record(this.#served, operation, ended.errorType, ms);
  }

  onSent(operation: Operation, errorType: string | undefined, ms: number): void {
    this.#record(this.#sent, operation, errorType, ms);
  }

  onEnded({ toolbox, server }: Operation, ended: Ended, bytesIn: number, isDenied: boolean): void {
    const key = `${toolbox}/${server}`;
    const place = (): Attributes => placeOf({ toolbox, server });
    const { outcome, bytes } = ended;
    this.#calls.add(1, `${key} ${outcome}`, () => ({ ...place(), outcome }));
    this.#received.add(bytesIn, key, place);
    this.#answered.add(bytes, key, place);
    if (isDenied) this.#denied.add(1, key, place);
  }

  onClientSession(ms: number, protocolVersion: string | undefined): void {
    const version = protocolVersion ?? "";
    this.#clientSessions.record(ms / 1000, version, () =>
      version === "" ? {} : { "mcp.protocol.version": version },
    );
  }

  onServerSession({ toolbox, server }: ServerRef, ms: number, errorType: string | undefined): void {
    this.#serverSessions.record(ms / 1000, `${toolbox}/${server} ${errorType}`, () => ({
      ...placeOf({ toolbox, server }),
      ...(errorType !== undefined && { "error.type": errorType }),
    }));
  }

  collect(): MetricData[] {
    return [
      this.#served,
      this.#sent,
      this.#clientSessions,
      this.#serverSessions,
      this.#calls,
      this.#received,
      this.#answered,
      this.#denied,
    ].map((one) => one.collect());
  }

  #record(
    histogram: Histogram,
    { method, toolbox, server, tool }: Operation,
    error: string | undefined,
    ms: number,
  ): void {
    const errorType = error === undefined ? undefined : this.#errorTypes.get(error);
    const key = `${method}\0${toolbox}\0${server}\0${tool}\0${errorType}`;
    histogram.record(ms / 1000, key, () => ({
      "mcp.method.name": method,
      ...placeOf({ toolbox, server }),
      ...(tool !== undefined && { "gen_ai.tool.name": tool }),
      ...(errorType !== undefined && { "error.type": errorType }),
    }));
  }
}

function placeOf({ toolbox, server }: Pick<Operation, "toolbox" | "server">): Attributes {
  if (toolbox === undefined || server === undefined) return {};
  return { "mcp_workbench.toolbox": toolbox, "mcp_workbench.server": server };
}
