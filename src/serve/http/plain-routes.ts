import type { IncomingMessage, ServerResponse as HttpResponse } from "node:http";

import { statusOf } from "../../workbench/status.ts";
import type { Workbench } from "../../workbench/workbench.ts";
import type { ClientView } from "../client-view.ts";
import { answerRead, isRead, writeJson } from "./http-responses.ts";
import { answerMetrics } from "./metrics.ts";
import type { Route } from "./routes.ts";

/** The addresses that have nothing to do with MCP. */

export interface Readiness {
  /** Whether the workbench is about to end. */
  readonly isDraining: boolean;
  /** Whether the other replicas can be reached; undefined if there are none. */
  readonly isUp: boolean | undefined;
}

/**
 * Answers whether the program works, or whether a load balancer should send requests here. Without Redis, a replica
 * still serves its own clients, so it stays in use.
 */
export function answerProbe(
  kind: "health" | "ready",
  request: IncomingMessage,
  response: HttpResponse,
  { isDraining, isUp }: Readiness,
): void {
  if (!isRead(request, response)) return;
  const readiness = isDraining ? "draining" : isUp === false ? "degraded" : "ready";
  const status = kind === "health" ? "ok" : readiness;
  writeJson(response, status === "draining" ? 503 : 200, [JSON.stringify({ status })]);
}

export interface OwnedWorkbench {
  readonly workbench: Workbench;
  readonly view: ClientView;
  readonly sessions: number;
}

/**
 * Answers what concerns the whole workbench and therefore only its owner may read; false if there is
 * nothing at this address.
 */
export function answerOwner(
  { kind }: Route,
  request: IncomingMessage,
  response: HttpResponse,
  { workbench, view, sessions }: OwnedWorkbench,
): boolean {
  if (kind === "metrics") return answerMetrics(workbench, request, response);
  if (kind !== "status") return false;
  answerRead(request, response, () => statusOf(workbench, view, sessions));
  return true;
}
