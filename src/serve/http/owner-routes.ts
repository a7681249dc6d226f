import type { IncomingMessage, ServerResponse as HttpResponse } from "node:http";

import { statusOf } from "../../workbench/status.ts";
import type { Workbench } from "../../workbench/workbench.ts";
import type { ClientView } from "../client-view.ts";
import { answerRead } from "./http-responses.ts";
import { answerMetrics } from "./metrics.ts";
import type { Route } from "./routes.ts";

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
