import { reasonOf } from "../../errors.ts";
import type { Workbench } from "../../workbench/workbench.ts";

/** Several clients may start a workbench with the same port; those that come later serve without metrics. */
export async function serveMetrics(workbench: Workbench, metrics: string): Promise<void> {
  const { log } = workbench.host;
  try {
    const { listenForMetrics, parseAddress } = await import("../../serve/metrics-bundle.ts");
    const url = await listenForMetrics(workbench, parseAddress(metrics, "--metrics"));
    log.info(`metrics are at ${url}`);
  } catch (error) {
    log.warn(`metrics are not served: ${reasonOf(error)}`);
  }
}
