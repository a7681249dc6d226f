import type { Results } from "../harness/measure.ts";
import { aimsTable } from "./aims.ts";
import { number } from "./format.ts";
import { GROWTHS, plotFile } from "./growth-plots.ts";
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
  const { machine, date, command, loadBefore, seconds, later = [] } = results;
  return [
    "<!-- Generated from bench/results.json by `npm run bench:page`. Do not edit. -->",
    "# Performance",
    "",
    "The overhead of the workbench, compared with a direct connection and with other relays. Absolute times depend on the",
    "machine, so most tables show ratios. All values in a table were measured alternately in one run.",
    "",
    `- Machine: ${machine.cores} cores of ${machine.cpu}, ${machine.memoryGB} GB, ${machine.system}, Node ${machine.node}`,
    `- Run: \`${command}\` on ${date}, ${seconds} s; load average before the run: ${number(loadBefore)}`,
    ...later.map(
      (run) =>
        `- Measured again: \`npm run bench -- --only ${run.phases} --merge\` on ${run.date}; load average before: ${number(run.loadBefore)}`,
    ),
    "",
    "The workbench is compared with **direct** (the client connected to the server), a **byte pipe** (`bench/pipe.mjs`: one",
    "more process that only copies bytes, the physical limit), a **JSON relay** (`bench/relay.mjs`: it parses a message, replaces",
    "the id and prints it, the minimum for a relay that understands messages) and a plain **`node:http`** server",
    "(`bench/http-echo.mjs`) with the same tools in its own process. Over HTTP there is a JSON relay as well (`bench/http-relay.mjs`):",
    "`node:http` in front of one server, without sessions and without any checks.",
    "",
    markdownTable(aimsTable(results)),
    "## Cost by size",
    "",
    "![Time of one call by the size of its result](performance.svg)",
    "",
    "## Cost by number",
    "",
    "The cost of a call and the memory should stay the same, however many clients, servers or tools there are.",
    "",
    ...GROWTHS.map(({ id, title }) => `![${title}](${plotFile(id)})`),
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
  "- A small call takes four system calls: two reads and two writes. The writes dominate, so everything written in one turn",
  "  of the event loop is passed to the system together (`wire/lines.ts`).",
  "- After that, `JSON.parse` was the largest cost: 4 of about 17 µs of a small call for the request alone, and as much again for",
  "  collecting the objects it creates. A plain call and a plain answer are now measured and checked in one pass that",
  "  creates no objects (`wire/plain-messages.ts`). This brought a small call to the cost of the relay.",
  "- Only the two ends of a large answer are read, and the server's bytes are written unchanged. So a large answer costs",
  "  less than in the JSON relay.",
  "- A buffer view for every line, a set of running calls beside the call table and an iterator over an empty queue cost a",
  "  microsecond each per call; all three are gone. Calls have no timers of their own: one sweep every quarter of a second",
  "  serves all calls of a connection.",
  "- Flushing before the end of a turn, after every 1, 4, 8 or 16 messages, made no measurable difference.",
  "- The helpers with which bundlers keep function names appeared in the profile of the hot path. The program is built",
  "  without them.",
  "- Counted in instructions, an echo with 32 calls in flight costs less than in the relay (44,000 against 50,000), once V8 has",
  "  compiled what it uses. That takes thousands of calls: after 2,000 of them, compiling is still up to 40 % of what a call",
  "  costs, and the relay has far less code to compile. So every subject answers 22,000 calls before it is measured.",
  "- Of a 100 KB result, a third of the instructions is one loop over its bytes; the relay spends three quarters on parsing it",
  "  and writing it again.",
  "- Reading a text of 10 KB character by character took 50 µs, and `JSON.parse` takes 7. So strings of more than 32 characters",
  "  are left to it. The rest of a message is still read here: for structured results, `JSON.parse` is no faster.",
  '- Each answer is searched for the id of a task. Looking for `"taskId"` took 4 µs in 10 KB, because a search for a text that',
  '  begins with a quote stops at every quote. Now it looks for what begins with the first capital, `Id"` (`wire/find-text.ts`).',
  "- Calls in progress were in a `Map`. It replaces its table every few dozen calls, and V8 keeps a reference from each table",
  "  to the next one. As soon as one of them was old, the calls in all later ones survived every quick garbage collection: with",
  "  32 calls in flight, a third of the processor time of a call over stdio, and nearly half over HTTP. Tables by number",
  "  (`calls/numbered-table.ts`) have no such references.",
  "- Over HTTP, a call was parsed and its keys were compared, which the plain call over stdio had avoided; now both take the",
  "  same path. The audit log and the metrics are on over HTTP. Entries of the log are made together, after the answers, which",
  "  takes less than half the time.",
  "- A relay cannot be as fast as `node:http` alone, because each call passes a second process and two pipes. On one core, an",
  "  echo took 41 µs with `node:http`, 69 µs through the JSON relay over HTTP and 98 µs through the workbench.",
  "- On two cores, the time of a sequential call depends on which core the scheduler wakes: the medians of the JSON relay were",
  "  between 35 and 85 µs in one run. On one core they are stable: 37 µs through the relay, 39 µs through the workbench.",
  "- Node reads the certificates of `NODE_EXTRA_CA_CERTS` whenever it starts, which took about 75 ms, also in bare `node`. The",
  "  benchmark does not pass it on.",
  "- `initialize` is answered without `child_process`, `crypto` and Zod, which are loaded later, and without the streams",
  "  `process.stdin` and `process.stdout`, which take a millisecond each. For Node 20, the package contains compiled code for it.",
  "- The start has two stages: `initialize` is answered by 80 KB of code, and the rest is loaded while the client reads",
  "  the answer. With more than 64 KB of configuration, `initialize` does not wait for the check of the whole file either.",
  "",
];

const HOW_TO = [
  "## How to measure",
  "",
  "    npm run bench                     # everything, several minutes; writes bench/results.json",
  "    npm run bench -- --quick          # a rough estimate, about a minute; writes nothing",
  "    npm run bench -- --only calls,large --out FILE",
  "    npm run bench -- --only features --merge   # into bench/results.json, beside the last full run",
  "    taskset -c 0 npm run bench -- --only calls --out FILE   # on one core",
  "    npm run bench:page                # this page and its plots, from bench/results.json",
  "    npm run bench:guard               # counts instructions (needs Valgrind); fails if a ratio is 7 % worse than bench/baseline.json",
  "    npm run bench:guard -- --record   # after a change that is supposed to change a ratio",
  "",
  "Stop other programs first. The rounds of all subjects are interleaved and ratios are medians over rounds, so a short",
  "disturbance has no effect. But on a busy machine all results become alike, because waiting for a core takes the most time.",
  "CPU time and memory are read from `/proc`, so they are measured on Linux only.",
  "",
  "The guard counts instructions with Valgrind, which do not depend on what else the machine does: the ratios of five runs",
  "differed by less than 2 %. V8 interprets everything in it: what it compiles, and when, depends on chance. The counts say how",
  "much work a call is, not how fast it is; `bench/guard/slowdown.full.test.ts` shows that 10 % more work is found 10 times of 10.",
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
    title: "Time of one call by the size of its result",
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
