import { createServer } from "node:http";

import { workbenchError } from "../errors.ts";
import type { Workbench } from "../workbench/workbench.ts";
import { Access } from "./http/access.ts";
import { type Address, urlOf } from "./http/address.ts";
import { refuse } from "./http/http-responses.ts";
import { listen } from "./http/listen.ts";
import { answerMetrics } from "./http/metrics.ts";
import { pathOf, routeOf } from "./http/routes.ts";

const TIMEOUT_MS = 10_000;
const MAX_CONNECTIONS = 20;

/**
 * Serves the metrics, and nothing else, without a token: everyone who can reach the address may read them.
 * Returns the URL. Web pages cannot read them: the Host and Origin headers are checked.
 */
export async function listenForMetrics(
  workbench: Workbench,
  address: Address,
  allowedHosts: readonly string[] = [],
): Promise<string> {
  const server = createServer({
    headersTimeout: TIMEOUT_MS,
    requestTimeout: TIMEOUT_MS,
    connectionsCheckingInterval: TIMEOUT_MS,
  });
  server.maxConnections = MAX_CONNECTIONS;
  const { port } = await listen(server, address);
  const bound = { ...address, port };
  const access = new Access(bound, allowedHosts, { owner: undefined });
  server.on("request", (request, response) => {
    const foreign = access.foreign(request);
    const path = request.url ?? "";
    if (foreign !== undefined) refuse(response, foreign);
    else if (routeOf(path).kind !== "metrics" || !answerMetrics(workbench, request, response))
      refuse(response, workbenchError("NOTHING_HERE", { path: pathOf(path) }, "See /metrics"));
  });
  server.on("error", () => {});
  // It must not keep a program alive that has nothing else to do.
  server.unref();
  return `${urlOf(bound)}/metrics`;
}
