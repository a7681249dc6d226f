import { readdirSync } from "node:fs";
import type { MetricData, MetricInfo } from "./metric-data.ts";

type ProcessInfo = readonly [info: MetricInfo, read: () => number | undefined];

const info = (
  kind: "counter" | "gauge",
  name: string,
  prometheusName: string,
  unit: string,
  description: string,
): MetricInfo => ({ kind, name, prometheusName, unit, description });

const START_SECONDS = Math.round(performance.timeOrigin) / 1000;

/** The names that all programs use for this. */
const METRICS: readonly ProcessInfo[] = [
  [
    info("counter", "process.cpu.time", "process_cpu_seconds_total", "s", "Processor time used"),
    () => {
      const { user, system } = process.cpuUsage();
      return (user + system) / 1e6;
    },
  ],
  [
    info("gauge", "process.memory.usage", "process_resident_memory_bytes", "By", "Memory in use"),
    () => process.memoryUsage.rss(),
  ],
  [
    info("gauge", "v8js.memory.heap.used", "nodejs_heap_size_used_bytes", "By", "Heap in use"),
    () => process.memoryUsage().heapUsed,
  ],
  [
    info("gauge", "process.start_time", "process_start_time_seconds", "s", "Start, since 1970"),
    () => START_SECONDS,
  ],
  [
    info("gauge", "process.open_fds", "process_open_fds", "{file}", "Open files and sockets"),
    openFiles,
  ],
  [
    info(
      "gauge",
      "nodejs.eventloop.utilization",
      "nodejs_eventloop_utilization",
      "1",
      "Share of the time in which the process was not idle, since its start",
    ),
    () => performance.eventLoopUtilization().utilization,
  ],
];

export function processMetrics(): MetricData[] {
  return METRICS.map(([about, read]) => {
    const value = read();
    return { info: about, points: value === undefined ? [] : [{ attributes: {}, value }] };
  });
}

/** Known on Linux only. */
function openFiles(): number | undefined {
  try {
    return readdirSync("/proc/self/fd").length;
  } catch {
    return undefined;
  }
}
