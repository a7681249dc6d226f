import type { Attributes, MetricData, MetricKind, NumberPoint } from "./metric-data.ts";

/** A metric of the workbench that is read when it is needed. */
export function observed(
  kind: Exclude<MetricKind, "histogram">,
  name: string,
  unit: string,
  description: string,
  points: readonly NumberPoint[],
): MetricData {
  const suffix = kind === "counter" ? "_total" : "";
  const prometheusName = `workbench_${name.replaceAll(".", "_")}${suffix}`;
  return { info: { kind, name: `workbench.${name}`, prometheusName, unit, description }, points };
}

export function point(value: number, attributes: Attributes = {}): NumberPoint {
  return { attributes, value };
}
