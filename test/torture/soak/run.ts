/** Everything at once for the given time, and its cost. */
import { setTimeout as delay } from "node:timers/promises";
import { verifyAudit } from "../../../src/audit/verify.ts";
import { auditFolderOf, auditRows } from "../../support/audit.ts";
import { Disposables } from "../../support/disposables.ts";
import { waitFor } from "../../support/proc.ts";
import { type Latencies, latencies } from "../bystander.ts";
import { Random } from "../fuzz/random.ts";
import { BAD_CONFIGS, FAULT_NAMES, inject, type Stage } from "./faults.ts";
import { callAlong, comeAndGo, type Load, newHttpClient } from "./load.ts";
import { Gauge, measureAlong } from "./measure.ts";
import type { Series } from "./series.ts";
import { Tally } from "./tally.ts";
import {
  configOf,
  FAULTY,
  heapOf,
  type Lasting,
  sessionsOf,
  startHttp,
  startStdio,
  STEADY,
} from "./world.ts";

export interface SoakOptions {
  readonly ms: number;
  readonly seed: number;
  readonly progress?: (calls: number, restMs: number) => void;
}

export interface SoakReport {
  readonly seconds: number;
  readonly tally: Tally;
  readonly steady: Latencies;
  readonly faults: ReadonlyMap<string, number>;
  readonly series: readonly Series[];
  /** How much larger the heap of each program is when all is quiet than before the load. */
  readonly kept: ReadonlyMap<string, number>;
  readonly processesLeft: number;
  /** Everything that is wrong. */
  readonly problems: readonly string[];
}

const HTTP_CLIENTS = 16;
const STDIO_PROGRAMS = ["stdio-1", "stdio-2"];
const CALLS_AT_ONCE = 6;
const FAULT_EVERY_MS = 2000;
const SAMPLES = 200;
const MIN_STEP_MS = 500;
/** Sessions of clients that left without ending them have long expired after this time. */
const EXPIRED_MS = 30_000;
const MAX_KEPT_MB = 5;
/** In a shorter time memory has not reached its working size, and its growth means nothing. */
const LONG_ENOUGH_MS = 120_000;
const END_MS = 10_000;
const GONE_MS = 5000;
const RELOADED_MS = 1000;

export async function soak({ ms, seed, progress }: SoakOptions): Promise<SoakReport> {
  const disposables = new Disposables();
  try {
    return await soakWith(disposables, { ms, seed, ...(progress && { progress }) });
  } finally {
    await disposables.dispose();
  }
}

async function soakWith(
  disposables: Disposables,
  { ms, seed, progress }: SoakOptions,
): Promise<SoakReport> {
  const random = new Random(seed);
  const tally = new Tally();
  const complaints: string[] = [];
  const left: string[] = [];
  const faults = new Map<string, number>(FAULT_NAMES.map((name) => [name, 0]));
  const http = await startHttp(disposables);
  const stdio = await Promise.all(STDIO_PROGRAMS.map((name) => startStdio(disposables, name)));
  const lasting: readonly Lasting[] = [http, ...stdio];
  const own = newHttpClient(http, complaints);
  disposables.defer(() => own.abandon());
  await own.initialize();
  const clients = [own, ...stdio.map(({ caller }) => caller)];
  for (const config of [...BAD_CONFIGS, configOf(1)]) {
    for (const { place } of lasting) place.writeConfig(config);
    await delay(RELOADED_MS);
  }
  const first = await warmUp(clients);
  const before = await heaps(lasting);

  const begin = performance.now();
  const isOver = (): boolean =>
    performance.now() - begin > ms || lasting.some(({ pipe }) => pipe.violation !== undefined);
  const load: Load = { tally, random, isOver };
  const stage: Stage = { random, tally, http, lasting, clients, complaints, left };
  const gauges = lasting.map((program) => new Gauge(program));
  const report = setInterval(
    () => progress?.(tally.calls, ms - (performance.now() - begin)),
    Math.max(5000, ms / 20),
  );
  try {
    await Promise.all([
      ...Array.from({ length: HTTP_CLIENTS }, () => comeAndGo(http, complaints, load)),
      ...clients.flatMap((client) =>
        Array.from({ length: CALLS_AT_ONCE }, () => callAlong(client, load)),
      ),
      inject(stage, FAULT_EVERY_MS, isOver, faults),
      measureAlong(gauges, Math.max(MIN_STEP_MS, ms / SAMPLES), isOver),
    ]);
  } finally {
    clearInterval(report);
  }
  const seconds = (performance.now() - begin) / 1000;
  const hasNoSession = async (): Promise<boolean> =>
    http.pipe.violation !== undefined || (await sessionsOf(http)) === 0;
  const unexpired = await waitFor(hasNoSession, EXPIRED_MS, "all sessions to expire").then(
    () => [],
    (error: unknown) => [String(error)],
  );
  const after = await heaps(lasting);
  const kept = new Map(
    lasting.map(({ name }, i) => [name, (after[i] ?? 0) - (before[i] ?? 0)] as const),
  );
  for (const { pipe } of lasting) if (pipe.violation === undefined) await pipe.end(END_MS);
  const survivors = (): number => lasting.reduce((n, { place }) => n + place.servers().length, 0);
  await waitFor(() => survivors() === 0, GONE_MS, "the end of all servers").catch(() => {});
  const processesLeft = survivors() + left.length;

  const series = gauges.flatMap((gauge) => gauge.series);
  const steady = latencies(tally.tookSteady);
  const strays = stdio.flatMap(({ caller }) => caller.strays);
  const problems = [
    ...lasting.flatMap(({ name, pipe }) =>
      pipe.violation ? [`${name}: ${pipe.violation.message}`] : [],
    ),
    ...some("wrong answers", tally.wrong),
    ...some("requests without an answer", tally.missing),
    ...some("answers after their time", tally.late),
    ...some("answers twice or unasked", [...strays, ...complaints]),
    ...some("processes left", left),
    ...unexpired,
    ...auditProblems(lasting, first + tally.calls - tally.elsewhere),
    ...(processesLeft > left.length ? [`${processesLeft} processes left at the end`] : []),
    ...series
      .filter(({ isFlat }) => ms >= LONG_ENOUGH_MS && !isFlat)
      .map(({ name }) => `${name} is not flat`),
    ...[...kept]
      .filter(([, mb]) => mb > MAX_KEPT_MB)
      .map(([name, mb]) => `${name}: ${mb.toFixed(1)} MB are kept`),
    ...[...faults].filter(([, count]) => count === 0).map(([name]) => `never happened: ${name}`),
  ];
  return { seconds, tally, steady, faults, series, kept, processesLeft, problems };
}

/** Every server runs, and everything that is loaded on demand has been loaded. */
async function warmUp(clients: readonly Parameters<Tally["echo"]>[0][]): Promise<number> {
  const tally = new Tally();
  for (const client of clients)
    for (const server of [STEADY, ...FAULTY])
      await Promise.all(Array.from({ length: 20 }, () => tally.echo(client, server)));
  await Promise.all(
    clients.flatMap((client) => ["floods", "noisy"].map((server) => tally.fault(client, server))),
  );
  const failed = [...tally.wrong, ...tally.missing];
  if (failed.length > 0 || tally.refused > 0)
    throw new Error(`it does not even start: ${failed.join("\n")}`);
  return tally.calls;
}

/** I11: every call has one entry in the audit log, and no entry was damaged. */
function auditProblems(lasting: readonly Lasting[], calls: number): string[] {
  const rows = lasting.reduce((sum, { place }) => sum + auditRows(place).length, 0);
  const breaks = lasting.flatMap(({ place }) =>
    verifyAudit(auditFolderOf(place)).flatMap(({ firstBreak }) => firstBreak ?? []),
  );
  return [
    ...(rows === calls ? [] : [`${rows} audit entries for ${calls} calls`]),
    ...some(
      "breaks in audit logs",
      breaks.map((found) => JSON.stringify(found)),
    ),
  ];
}

async function heaps(lasting: readonly Lasting[]): Promise<number[]> {
  const all: number[] = [];
  for (const program of lasting) all.push(await heapOf(program));
  return all;
}

function some(what: string, found: readonly string[]): string[] {
  return found.length === 0 ? [] : [`${found.length} ${what}: ${found.slice(0, 5).join("; ")}`];
}
