import type { IncomingMessage, ServerResponse as HttpResponse } from "node:http";

import { reasonOf, workbenchError } from "../../errors.ts";
import { PROMETHEUS_TYPE } from "../../telemetry/metrics/prometheus.ts";
import type { Workbench } from "../../workbench/workbench.ts";
import { isRead, refuse, writeJson } from "./http-responses.ts";

/** Answers with all metrics; false if the workbench does not record any. */
export function answerMetrics(
  { pipeline }: Workbench,
  request: IncomingMessage,
  response: HttpResponse,
): boolean {
  const { telemetry } = pipeline.observers;
  if (telemetry === undefined) return false;
  if (!isRead(request, response)) return true;
  telemetry.scrape().then(
    (text) => writeJson(response, 200, [text], { "content-type": PROMETHEUS_TYPE }),
    (error: unknown) => refuse(response, workbenchError("INTERNAL", { reason: reasonOf(error) })),
  );
  return true;
}
