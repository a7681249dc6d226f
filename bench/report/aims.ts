import type { Results } from "../harness/measure.ts";
import { number, times } from "./format.ts";
import { Reading } from "./reading.ts";
import type { Table } from "./tables.ts";

interface Aim {
  readonly what: string;
  readonly limit: number;
  readonly at: "most" | "least";
  readonly show: (value: number) => string;
  readonly value: (reading: Reading) => number | undefined;
}

const toRelay =
  (id: string, subject = "proxy") =>
  (reading: Reading): number | undefined =>
    reading.ratio(id, subject, "relay");

const megabytes = (value: number): string => `${number(value)} MB`;
const milliseconds = (value: number): string => `${number(value)} ms`;

const AIMS: readonly Aim[] = [
  ratio("echo, vs. the JSON relay", 1.1, "most", toRelay("echo/p50")),
  ratio("10 KB, vs. the JSON relay", 1, "most", toRelay("result-10KB/p50")),
  ratio("100 KB, vs. the JSON relay", 0.75, "most", toRelay("result-100KB/p50")),
  ratio("1 MB, vs. the JSON relay", 0.6, "most", toRelay("result-1MB/p50")),
  ratio(
    "calls per second with 32 in flight, vs. the JSON relay",
    0.95,
    "least",
    toRelay("in-flight-32"),
  ),
  ratio(
    "native tools: calls per second with 32 in flight, vs. the JSON relay",
    0.95,
    "least",
    toRelay("in-flight-32", "dynamic"),
  ),
  ratio("CPU time of an echo, vs. the JSON relay", 1.1, "most", toRelay("cpu")),
  ...[1, 1_000].map((size) =>
    ratio(
      `start to \`initialize\` with ${size === 1 ? "1 server" : `${size.toLocaleString("en-US")} servers`}, vs. bare \`node\``,
      1.2,
      "most",
      (reading) => reading.ratio("start/initialize", `proxy-${size}`, "bare"),
    ),
  ),
  ...overHttp("plain `node:http`", "http-echo"),
  ...overHttp("the JSON relay over HTTP", "http-relay"),
  {
    what: "idle memory above bare `node`",
    limit: 15,
    at: "most",
    show: megabytes,
    value: (reading) =>
      difference(reading.value("memory/idle", "proxy-1"), reading.value("memory/idle", "bare")),
  },
  {
    what: "extra memory for a 10 MB result",
    limit: 20,
    at: "most",
    show: megabytes,
    value: (reading) => reading.value("large/extra-memory", "proxy"),
  },
  {
    what: "longest delay of other calls during 10 MB results",
    limit: 50,
    at: "most",
    show: milliseconds,
    value: (reading) => reading.value("large/longest-pause", "proxy"),
  },
];

/** The goals, and whether the run met them. */
export function aimsTable(results: Results): Table {
  const reading = new Reading(results);
  return {
    title: "Goals",
    note: "The workbench in proxy mode over stdio, which is how most clients use it.",
    head: ["", "goal", "measured", "reached"],
    rows: AIMS.map(({ what, limit, at, show, value }) => {
      const measured = value(reading);
      if (measured === undefined) return [what, `at ${at} ${show(limit)}`, "–", "–"];
      const held = at === "most" ? measured <= limit : measured >= limit;
      return [what, `at ${at} ${show(limit)}`, show(measured), held ? "yes" : "**no**"];
    }),
  };
}

function overHttp(name: string, base: string): Aim[] {
  return [
    ratio(`echo over HTTP, vs. ${name}`, 1.25, "most", (reading) =>
      reading.ratio("echo/p50", "http-proxy", base),
    ),
    ratio(`calls per second over HTTP with 32 in flight, vs. ${name}`, 0.85, "least", (reading) =>
      reading.ratio("in-flight-32", "http-proxy", base),
    ),
  ];
}

function ratio(what: string, limit: number, at: Aim["at"], value: Aim["value"]): Aim {
  return { what, limit, at, show: times, value };
}

function difference(a: number | undefined, b: number | undefined): number | undefined {
  return a === undefined || b === undefined ? undefined : a - b;
}
