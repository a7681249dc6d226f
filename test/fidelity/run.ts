/** Runs the matrix: every feature, with every client, in every column. */
import { type ClientKind, CLIENTS } from "./clients/client.ts";
import { connect } from "./clients/connect.ts";
import { type Column, canMeet, nameOf } from "./columns.ts";
import { FEATURES, type FeatureId } from "./features.ts";
import { notApplicable } from "./not-applicable.ts";
import { everythingProbes } from "./probes/everything.ts";
import { fixtureProbes } from "./probes/fixture.ts";
import type { Probe, Site } from "./probes/probe.ts";
import { type Place, openPlace } from "./place.ts";
import { SHARED, Subject, type ToolboxName } from "./subject.ts";

export type Outcome =
  | { readonly kind: "works" }
  | { readonly kind: "not applicable"; readonly reason: string }
  | { readonly kind: "fails"; readonly reason: string };

/** The outcomes of one client in one column, by feature. */
export type Row = ReadonlyMap<FeatureId, Outcome>;

const CELL_MS = 30_000;
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

  /** What became of a cell. */
  outcome(column: Column, client: ClientKind, feature: FeatureId): Outcome {
    const outcome = this.row(column, client).get(feature);
    return outcome ?? { kind: "fails", reason: "was not tried" };
  }
}

/** Runs the columns, several at once: most of the time goes by with waiting. */
export async function runMatrix(columns: readonly Column[], atOnce: number): Promise<Results> {
  const results = new Results();
  const waiting = [...columns];
  const work = async (): Promise<void> => {
    for (let column = waiting.shift(); column !== undefined; column = waiting.shift())
      await runColumn(column, results);
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  return results;
}

/** Runs a column, client after client: they share what is behind the workbench. */
async function runColumn(column: Column, results: Results): Promise<void> {
  const place = await openPlace(column);
  try {
    for (const client of CLIENTS)
      if (canMeet(client, column))
        results.set(column, client, await runClient(client, column, place));
  } finally {
    await place.close();
  }
}

async function runClient(kind: ClientKind, column: Column, place: Place): Promise<Row> {
  const subject = await subjectAt(kind, column, place, SHARED);
  const site: Site = { another: (toolbox) => subjectAt(kind, column, place, toolbox) };
  const row = new Map<FeatureId, Outcome>();
  try {
    for (const feature of FEATURES) {
      const reason = notApplicable(feature, column, kind);
      if (reason !== undefined) row.set(feature, { kind: "not applicable", reason });
      else row.set(feature, await runCell(feature, subject, site));
    }
  } finally {
    await subject.client.close();
  }
  return row;
}

async function subjectAt(
  kind: ClientKind,
  column: Column,
  place: Place,
  toolbox: ToolboxName,
): Promise<Subject> {
  const subject = new Subject(await connect(kind, place.endpoint(toolbox)), column, toolbox);
  await subject.prepare();
  return subject;
}

async function runCell(feature: FeatureId, subject: Subject, site: Site): Promise<Outcome> {
  const probe = probeOf(feature, subject.column);
  if (probe === undefined) return { kind: "fails", reason: "nothing tries this feature" };
  try {
    await withinTime(probe(subject, site));
    return WORKS;
  } catch (error) {
    return { kind: "fails", reason: error instanceof Error ? error.message : String(error) };
  }
}

function probeOf(feature: FeatureId, { server }: Column): Probe | undefined {
  return (server === "everything" ? everythingProbes : fixtureProbes)[feature];
}

async function withinTime(work: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no outcome within ${CELL_MS} ms`)), CELL_MS);
  });
  await Promise.race([work, late]).finally(() => clearTimeout(timer));
}
