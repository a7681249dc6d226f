import type { Attributes, MetricData } from "./metric-data.ts";
import { wellFormed } from "./well-formed.ts";

/** The format `text/plain; version=0.0.4`, which every Prometheus reads. */
export const PROMETHEUS_TYPE = "text/plain; version=0.0.4; charset=utf-8";

/** Shorter names for what every series has; the rest follow from their OpenTelemetry names. */
const LABELS: Readonly<Record<string, string>> = {
  "mcp_workbench.toolbox": "toolbox",
  "mcp_workbench.server": "server",
};

/** Writes metrics as text. A metric without series is left out. */
export function prometheusText(metrics: readonly MetricData[]): string {
  const lines: string[] = [];
  for (const metric of metrics) {
    const { prometheusName: name, description, kind } = metric.info;
    const isEmpty = ("points" in metric ? metric.points : metric.histograms).length === 0;
    if (isEmpty) continue;
    lines.push(`# HELP ${name} ${escaped(description, false)}`, `# TYPE ${name} ${kind}`);
    if ("points" in metric)
      for (const { attributes, value } of metric.points)
        lines.push(`${name}${labels(attributes)} ${number(value)}`);
    else pushHistograms(lines, name, metric);
  }
  return `${lines.join("\n")}\n`;
}

function pushHistograms(
  lines: string[],
  name: string,
  { bounds, histograms }: Extract<MetricData, { readonly bounds: readonly number[] }>,
): void {
  for (const { attributes, counts, sum, count } of histograms) {
    const written = labels(attributes);
    const before = written === "" ? "{" : `${written.slice(0, -1)},`;
    let total = 0;
    bounds.forEach((bound, i) => {
      total += counts[i] ?? 0;
      lines.push(`${name}_bucket${before}le="${bound}"} ${total}`);
    });
    lines.push(
      `${name}_bucket${before}le="+Inf"} ${count}`,
      `${name}_sum${written} ${number(sum)}`,
      `${name}_count${written} ${count}`,
    );
  }
}

function labels(attributes: Attributes): string {
  const written = Object.entries(attributes).map(
    ([key, value]) => `${LABELS[key] ?? key.replaceAll(".", "_")}="${escaped(value, true)}"`,
  );
  return written.length === 0 ? "" : `{${written.join(",")}}`;
}

function escaped(text: string, hasQuotes: boolean): string {
  const plain = text.replaceAll("\\", "\\\\").replaceAll("\n", "\\n");
  return wellFormed(hasQuotes ? plain.replaceAll('"', '\\"') : plain);
}

function number(value: number): string {
  if (Number.isNaN(value)) return "NaN";
  if (Number.isFinite(value)) return String(value);
  return value > 0 ? "+Inf" : "-Inf";
}
