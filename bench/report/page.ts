import type { Results } from "../harness/measure.ts";
import { aimsTable } from "./aims.ts";
import { number } from "./format.ts";
import { type Line, plot } from "./plot.ts";
import { Reading } from "./reading.ts";
import { markdownTable, nameOf, tablesOf } from "./tables.ts";

const PLOTTED = ["direct", "pipe", "relay", "proxy", "transparent", "http-echo", "http-proxy"];
const SIZES: readonly (readonly [id: string, bytes: number])[] = [
  ["echo", 100],
  ["result-10KB", 10_240],
  ["result-100KB", 102_400],
  ["result-1MB", 1_048_576],
  ["result-10MB", 10_485_760],
];

/** `docs/performance.md`, which is generated from the results alone. */
export function performancePage(results: Results): string {
  const { machine, date, command, loadBefore, seconds } = results;
  return [
    "<!-- Generated from bench/results.json by `npm run bench:page`. Do not edit. -->",
    "# Performance",
    "",
    "The overhead of the workbench, compared with a direct connection and other relays. Milliseconds depend on the machine, so",
    "the tables give ratios: everything in one table was measured in turn in the same rounds of the same run.",
    "",
    `- Machine: ${machine.cores} cores of ${machine.cpu}, ${machine.memoryGB} GB, ${machine.system}, Node ${machine.node}`,
    `- Run: \`${command}\` on ${date}, ${seconds} s; load of the machine before it: ${number(loadBefore)}`,
    "",
    "The other subjects are **direct** (the client is connected to the server), a **byte pipe** (`bench/pipe.mjs`: one",
    "more process that only copies bytes, the physical limit), a **JSON relay** (`bench/relay.mjs`: parse,",
    "replace the id, print; the minimum for a relay that understands messages) and a plain **`node:http`** server",
    "(`bench/http-echo.mjs`) with the same tools in its own process.",
    "",
    markdownTable(aimsTable(results)),
    "## Cost against size",
    "",
    "![Time of one call against the size of its result](performance.svg)",
    "",
    "## All tables",
    "",
    ...tablesOf(results).map(markdownTable),
    ...PROFILES,
    ...HOW_TO,
  ].join("\n");
}

const PROFILES = [
  "## What the profiles showed",
  "",
  "- A small call is four system calls: two reads and two writes. The writes dominate, so everything that is written in",
  "  one turn of the event loop is handed over at once (`wire/outbox.ts`).",
  "- After that `JSON.parse` was the largest cost: 4 of some 17 µs of a small call for the request alone, and as much again for",
  "  the objects it leaves to the garbage collector. A plain call and a plain answer are now measured and checked in one pass",
  "  that builds nothing (`wire/plain-call.ts`, `wire/plain-answer.ts`), which brought a small call to the cost of the relay.",
  "- Of large answers only the two ends are looked at, and the bytes of the server are written as they came. So a large",
  "  answer costs less than in the JSON relay.",
  "- A view of a buffer for every line, a set of running calls beside the call table and an iterator over an empty queue were",
  "  a microsecond each on the way there and back; none of them is left. There are no timers for single calls: one sweep",
  "  every quarter of a second serves all calls of a connection.",
  "- Flushing earlier than at the end of a turn, after every 1, 4, 8 or 16 messages, made no measurable difference.",
  "- The helpers with which bundlers keep the names of functions showed up in the profile of the hot path. The program is",
  "  built without them.",
  "- `child_process`, `crypto` and Zod are loaded when they are first used. None of them is needed to greet a client.",
  "- The start has two stages: `initialize` is answered by 40 KB of code, and the rest is loaded while the client reads",
  "  the answer. Above 64 KB of configuration the greeting does not wait for the check of the whole file either.",
  "",
];

const HOW_TO = [
  "## How to measure",
  "",
  "    npm run bench                     # everything, some minutes; writes bench/results.json",
  "    npm run bench -- --quick          # a first impression, about a minute; writes nothing",
  "    npm run bench -- --only calls,large --out FILE",
  "    npm run bench:page                # this page and its plot, from bench/results.json",
  "    npm run bench:guard               # the short form for CI: fails if a ratio is clearly worse than bench/baseline.json",
  "    npm run bench:guard -- --record   # after a change that is meant to change a ratio",
  "",
  "Close what else keeps the machine busy. The rounds of all subjects are interleaved and ratios are medians over rounds,",
  "so a short disturbance does not show, but a busy machine makes everything alike: it waits for its turn more than for us.",
  "Processor time and memory are read from `/proc` and therefore measured on Linux only.",
  "",
];

export function performancePlot(results: Results): string {
  const reading = new Reading(results);
  const lines: Line[] = [];
  for (const subject of PLOTTED) {
    const points: [number, number][] = [];
    for (const [id, bytes] of SIZES) {
      const time = reading.value(`${id}/p50`, subject);
      if (time !== undefined) points.push([bytes, time]);
    }
    if (points.length > 0) lines.push({ name: nameOf(subject).replaceAll("`", ""), points });
  }
  return plot(lines, {
    title: "Time of one call against the size of its result",
    x: "size of the result",
    y: "median time of a call",
    size: (bytes) => unit(bytes, ["B", "kB", "MB", "GB"]),
    time: (microseconds) => unit(microseconds, ["µs", "ms", "s"]),
  });
}

/** 1000 → `1 kB`: the marks of an axis are powers of ten. */
function unit(value: number, units: readonly string[]): string {
  const step = Math.min(units.length - 1, Math.max(0, Math.floor(Math.log10(value) / 3 + 1e-9)));
  return `${Math.round(value / 1_000 ** step)} ${units[step]}`;
}
