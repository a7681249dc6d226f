/** Runs the matrix: every feature, with every client, in every column. */
import { type ClientKind, CLIENTS, eraOf } from "../support/clients/matrix-client.ts";
import { connect } from "../support/clients/connect.ts";
import { type Column, canMeet, nameOf } from "./columns.ts";
import { FEATURES, type FeatureId } from "./features.ts";
import { notApplicable } from "./not-applicable.ts";
import { everythingProbes } from "./probes/everything.ts";
import { fixtureProbes } from "./probes/fixture.ts";
import type { Probe, Site } from "./probes/probe.ts";
import { type Place, openPlace } from "./place.ts";
import { ReplicaPairs } from "./replica-pairs.ts";
import { ONCE, SHARED, Subject, type ToolboxName } from "./subject.ts";

export type Outcome =
  | { readonly kind: "works" }
  | { readonly kind: "not applicable"; readonly reason: string }
  | { readonly kind: "fails"; readonly reason: string };

/** The outcomes of one client in one column, by feature. */
export type Row = ReadonlyMap<FeatureId, Outcome>;

const CELL_MS = 60_000;
const START = { entries: 0, log: 0 };
const WORKS: Outcome = { kind: "works" };

/** All outcomes, by column and client. */
export class Results {
  readonly #rows = new Map<string, Row>();

  set(column: Column, client: ClientKind, row: Row): void {
    this.#rows.set(`${nameOf(column)}, ${client}`, row);
  }

  row(column: Column, client: ClientKind): Row {
    return this.#rows.get(`${nameOf(column)}, ${client}`) ?? new Map();
  }

  /** The outcome of a cell. */
  outcome(column: Column, client: ClientKind, feature: FeatureId): Outcome {
    const outcome = this.row(column, client).get(feature);
    return outcome ?? { kind: "fails", reason: "was not tried" };
  }
}

/** Runs the columns, several at once: most of the time is spent waiting. */
export async function runMatrix(columns: readonly Column[], atOnce: number): Promise<Results> {
  const results = new Results();
  const pairs = new ReplicaPairs();
  const waiting = [...columns];
  const work = async (): Promise<void> => {
    for (let column = waiting.shift(); column !== undefined; column = waiting.shift())
      await runColumn(column, results, pairs);
  };
  try {
    await Promise.all(Array.from({ length: atOnce }, work));
  } finally {
    await pairs.close();
  }
  return results;
}

/** Runs a column, client after client: they share what is behind the workbench. */
async function runColumn(column: Column, results: Results, pairs: ReplicaPairs): Promise<void> {
  const place =
    column.transport === "replicas" ? await pairs.place(column) : await openPlace(column);
  try {
    for (const client of CLIENTS)
      if (canMeet(client, column))
        results.set(column, client, await runClient(client, column, place));
  } finally {
    await place.close();
  }
}

async function runClient(kind: ClientKind, column: Column, place: Place): Promise<Row> {
  const row = new Map<FeatureId, Outcome>();
  await place.reset?.();
  const run = new RowRun(kind, column, place);
  try {
    for (const feature of FEATURES) {
      const reason = notApplicable(feature, column, kind);
      if (reason !== undefined) row.set(feature, { kind: "not applicable", reason });
      else row.set(feature, await run.cell(feature));
    }
  } finally {
    await run.close();
  }
  return row;
}

/** One client in one column, and the additional clients that some features need. */
class RowRun implements Site {
  readonly #kind: ClientKind;
  readonly #column: Column;
  readonly #place: Place;
  /** Every client that this row has connected. */
  readonly #subjects: Subject[] = [];
  /** Those that are used for all features, by toolbox. */
  readonly #main = new Map<ToolboxName, Subject>();
  /** Why the rest cannot be tried. */
  #broken: string | undefined;

  constructor(kind: ClientKind, column: Column, place: Place) {
    this.#kind = kind;
    this.#column = column;
    this.#place = place;
  }

  async another(toolbox: ToolboxName): Promise<Subject> {
    const client = await connect(this.#kind, this.#place.endpoint(toolbox));
    const name = this.#place.nameOf?.(toolbox) ?? toolbox;
    const subject = new Subject(client, this.#column, name);
    this.#subjects.push(subject);
    await subject.prepare();
    return subject;
  }

  async cell(feature: FeatureId): Promise<Outcome> {
    const probe = probeOf(feature, this.#column);
    if (probe === undefined) return { kind: "fails", reason: "nothing tries this feature" };
    if (this.#broken !== undefined) return { kind: "fails", reason: this.#broken };
    const toolbox = toolboxFor(feature, this.#column, this.#kind);
    const before = new Map(this.#subjects.map((known) => [known, known.client.transcript.mark()]));
    try {
      const work = async (): Promise<void> => probe(await this.#subject(toolbox), this);
      await withinTime(work());
      return WORKS;
    } catch (error) {
      if (error instanceof NoOutcome || this.#subjects.length === 0)
        this.#broken = `not tried: ${feature} has failed before (${String(error).slice(0, 200)})`;
      const main = [...this.#main.values()];
      const fresh = this.#subjects.filter((known) => !before.has(known) && !main.includes(known));
      const parts = [...main, ...fresh].map((known) =>
        known.client.transcript.since(before.get(known) ?? START),
      );
      await Promise.allSettled(fresh.map(({ client }) => client.close()));
      const message = error instanceof Error ? error.message : String(error);
      return { kind: "fails", reason: [message, ...parts].join("\n") };
    }
  }

  async close(): Promise<void> {
    for (const { client } of this.#main.values()) await client.close();
  }

  async #subject(toolbox: ToolboxName): Promise<Subject> {
    const subject = this.#main.get(toolbox) ?? (await this.another(toolbox));
    this.#main.set(toolbox, subject);
    return subject;
  }
}

/**
 * With a second request, the client lets the first one go on. All requests of a session reach the same process; those of a modern
 * client reach the processes of both replicas, unless the server runs once.
 */
const NEEDS_ONE_PROCESS: ReadonlySet<FeatureId> = new Set(["progress", "progressAfterQuestion"]);

function toolboxFor(feature: FeatureId, { transport }: Column, client: ClientKind): ToolboxName {
  const isSpread = transport === "replicas" && eraOf(client) === "modern";
  return isSpread && NEEDS_ONE_PROCESS.has(feature) ? ONCE : SHARED;
}

function probeOf(feature: FeatureId, { server }: Column): Probe | undefined {
  return (server === "everything" ? everythingProbes : fixtureProbes)[feature];
}

class NoOutcome extends Error {}

async function withinTime(work: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new NoOutcome(`no outcome within ${CELL_MS} ms`)), CELL_MS);
  });
  await Promise.race([work, late]).finally(() => clearTimeout(timer));
}
