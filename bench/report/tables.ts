import type { Results } from "../harness/measure.ts";
import { number, times, withRatio } from "./format.ts";
import { Reading } from "./reading.ts";

export interface Table {
  readonly title: string;
  readonly note: string;
  readonly head: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

/** What the subjects are called for people. */
export const NAMES: Readonly<Record<string, string>> = {
  bare: "bare `node`",
  direct: "direct",
  pipe: "byte pipe",
  relay: "JSON relay",
  proxy: "workbench, proxy",
  dynamic: "workbench, dynamic",
  transparent: "workbench, transparent",
  "http-echo": "plain `node:http`",
  "http-relay": "JSON relay over HTTP",
  "http-proxy": "workbench over HTTP, proxy",
  "http-transparent": "workbench over HTTP, transparent",
};

export const nameOf = (subject: string): string => {
  const size = /^proxy-(\d+)$/.exec(subject)?.[1];
  return size === undefined ? (NAMES[subject] ?? subject) : `workbench, proxy, ${size} configured`;
};

const WORKLOADS: readonly (readonly [id: string, name: string])[] = [
  ["echo", "echo"],
  ["result-10KB", "10 KB"],
  ["result-100KB", "100 KB"],
  ["result-1MB", "1 MB"],
  ["result-10MB", "10 MB"],
  ["arguments-1MB", "1 MB arguments"],
];
const OVER_STDIO = ["direct", "pipe", "relay", "proxy", "dynamic", "transparent"];
const OVER_HTTP = ["http-echo", "http-relay", "http-proxy", "http-transparent"];
const ALL = [...OVER_STDIO, ...OVER_HTTP];

export function tablesOf(results: Results): Table[] {
  const reading = new Reading(results);
  return [
    ratioTable(reading, "One call, as a multiple of the JSON relay", "relay", OVER_STDIO),
    ratioTable(reading, "One call, as a multiple of direct", "direct", OVER_STDIO),
    ratioTable(reading, "One call over HTTP, as a multiple of `node:http`", "http-echo", OVER_HTTP),
    timeTable(reading),
    throughputTable(reading),
    resourceTable(reading),
    startTable(reading),
    growthTable(reading, "servers", "Servers in the configuration", "one of them is called"),
    growthTable(reading, "tools", "Tools per server", "dynamic mode, toolbox opened"),
    growthTable(reading, "clients", "Clients over HTTP", "each with a session and a connection"),
    featureTable(reading),
    largeTable(reading),
  ].filter(({ rows }) => rows.length > 0);
}

function ratioTable(
  reading: Reading,
  title: string,
  base: string,
  subjects: readonly string[],
): Table {
  return {
    title,
    note: "Sequential calls. Each value is the median, over all rounds, of the ratio of the medians in a round.",
    head: ["", ...WORKLOADS.map(([, name]) => name)],
    rows: measured(reading, "echo/p50", subjects).map((subject) => [
      nameOf(subject),
      ...WORKLOADS.map(([id]) => times(reading.ratio(`${id}/p50`, subject, base))),
    ]),
  };
}

function timeTable(reading: Reading): Table {
  return {
    title: "One call, in microseconds",
    note: "Medians, and the 99th percentile for echo.",
    head: ["", ...WORKLOADS.map(([, name]) => name), "echo, p99"],
    rows: measured(reading, "echo/p50", ALL).map((subject) => [
      nameOf(subject),
      ...WORKLOADS.map(([id]) => number(reading.value(`${id}/p50`, subject))),
      number(reading.value("echo/p99", subject)),
    ]),
  };
}

function throughputTable(reading: Reading): Table {
  const cell = (inFlight: number, subject: string): string[] => {
    const id = `in-flight-${inFlight}`;
    const base = OVER_HTTP.includes(subject) ? "http-echo" : "relay";
    return [withRatio(reading.value(id, subject), reading.ratio(id, subject, base))];
  };
  return {
    title: "Calls per second",
    note: "Echo with 1, 32 and 128 calls in flight. Ratios are to the JSON relay, or to `node:http` over HTTP.",
    head: ["", "1 in flight", "32 in flight", "128 in flight"],
    rows: measured(reading, "in-flight-32", ALL).map((subject) => [
      nameOf(subject),
      ...[1, 32, 128].flatMap((inFlight) => cell(inFlight, subject)),
    ]),
  };
}

function resourceTable(reading: Reading): Table {
  const cpuBase = (subject: string): string =>
    OVER_HTTP.includes(subject) ? "http-echo" : "relay";
  return {
    title: "CPU time and memory of the relay process",
    note: "CPU time of one echo in microseconds (ratios as above); memory after all these calls, in MB.",
    head: ["", "CPU time", "memory"],
    rows: measured(reading, "memory/after", ALL).map((subject) => [
      nameOf(subject),
      withRatio(reading.value("cpu", subject), reading.ratio("cpu", subject, cpuBase(subject))),
      number(reading.value("memory/after", subject)),
    ]),
  };
}

function startTable(reading: Reading): Table {
  const cell = (id: string, subject: string, base: string): string =>
    withRatio(reading.value(id, subject), reading.ratio(id, subject, base));
  return {
    title: "Start",
    note: "Milliseconds from starting the process to the answer. Ratios for `initialize` and memory are to bare `node`, the others to direct. Memory is that of an idle process, in MB.",
    head: ["", "`initialize`", "`tools/list`", "first result", "idle memory"],
    rows: reading
      .subjects("start/initialize")
      .map((subject) => [
        nameOf(subject),
        cell("start/initialize", subject, "bare"),
        cell("start/list", subject, "direct"),
        cell("start/first-result", subject, "direct"),
        cell("memory/idle", subject, "bare"),
      ]),
  };
}

const GROWTH_COLUMNS: readonly (readonly [id: string, name: string])[] = [
  ["list", "`tools/list`, ms"],
  ["search", "`search_tools`, ms"],
  ["echo", "echo, us"],
  ["in-flight-32", "calls/s at 32"],
  ["cpu", "CPU time, us"],
  ["memory", "memory, MB"],
];

function growthTable(reading: Reading, id: string, title: string, note: string): Table {
  const sizes = reading.subjects(`${id}/echo`);
  const smallest = sizes[0] ?? "";
  const columns = GROWTH_COLUMNS.filter(
    ([column]) => reading.subjects(`${id}/${column}`).length > 0,
  );
  return {
    title: `Growth: ${title[0]?.toLowerCase()}${title.slice(1)}`,
    note: `${note}; ratios to the first row.`.replace(/^./, (letter) => letter.toUpperCase()),
    head: [title, ...columns.map(([, name]) => name)],
    rows: sizes.map((size) => [
      Number(size).toLocaleString("en-US"),
      ...columns.map(([column]) => {
        const of = `${id}/${column}`;
        return withRatio(reading.value(of, size), reading.ratio(of, size, smallest));
      }),
    ]),
  };
}

function featureTable(reading: Reading): Table {
  const features = reading.subjects("features/echo");
  const cells = (feature: string): string[] =>
    ["features/echo", "features/in-flight-32", "features/cpu"].map((id) =>
      withRatio(reading.value(id, feature), reading.ratio(id, feature, features[0] ?? "")),
    );
  return {
    title: "Features in use",
    note: "Proxy mode over stdio; ratios to the first row. With `--shared`, the CPU time is that of the client's own process, which passes everything on to the shared one.",
    head: ["", "echo, us", "calls/s at 32", "CPU time, us"],
    rows: features.map((feature) => [feature, ...cells(feature)]),
  };
}

function largeTable(reading: Reading): Table {
  return {
    title: "10 MB results",
    note: "Another server is called every 5 ms while 10 MB results pass, one at a time. The columns show the longest of these calls in a round, in ms (median and worst of all rounds), and the memory that a new relay process needs for the first large result, in MB.",
    head: ["", "longest wait", "worst", "without large results", "extra memory"],
    rows: reading
      .subjects("large/longest-pause")
      .map((subject) => [
        nameOf(subject),
        number(reading.value("large/longest-pause", subject)),
        number(reading.largest("large/longest-pause", subject)),
        number(reading.value("large/longest-pause-without", subject)),
        number(reading.value("large/extra-memory", subject)),
      ]),
  };
}

function measured(reading: Reading, id: string, subjects: readonly string[]): string[] {
  const there = reading.subjects(id);
  return subjects.filter((subject) => there.includes(subject));
}

/** The tables for a terminal. */
export function plainTables(results: Results): string {
  return tablesOf(results).map(plainTable).join("\n\n");
}

function plainTable({ title, head, rows }: Table): string {
  const lines = [head, ...rows];
  const widths = head.map((_, column) =>
    Math.max(...lines.map((line) => line[column]?.length ?? 0)),
  );
  const text = lines.map((line) =>
    line
      .map((cell, column) =>
        column === 0 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0),
      )
      .join("  "),
  );
  return [title, ...text].join("\n");
}

export function markdownTable({ title, note, head, rows }: Table): string {
  const row = (cells: readonly string[]): string => `| ${cells.join(" | ")} |`;
  const rule = `|${head.map((_, column) => (column === 0 ? "---" : "---:")).join("|")}|`;
  return [`### ${title}`, "", note, "", row(head), rule, ...rows.map(row), ""].join("\n");
}
