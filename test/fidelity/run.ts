/** Runs the matrix: every feature, with every client, in every column. */
import { type ClientKind, CLIENTS } from "./clients/client.ts";
import { connect } from "./clients/connect.ts";
import { type Column, canMeet } from "./columns.ts";
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

const CELL_MS = 15_000;
const WORKS: Outcome = { kind: "works" };

/** Runs a column, client after client; `done` is called with each that is finished. */
export async function runColumn(
  column: Column,
  done: (client: ClientKind, row: Row) => void,
): Promise<void> {
  const place = await openPlace(column);
  try {
    for (const client of CLIENTS)
      if (canMeet(client, column)) done(client, await runClient(client, column, place));
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
