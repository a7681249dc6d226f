/** The tests of some columns of the fidelity matrix: every cell is tried. */
import { beforeAll, describe, expect, it } from "vitest";
import { CLIENTS, type ClientKind } from "../support/clients/matrix-client.ts";
import { type Column, canMeet, nameOf } from "./columns.ts";
import { FEATURES } from "./features.ts";
import { EXCEPTIONS, exceptionsOf } from "./not-applicable.ts";
import { type Outcome, type Results, runMatrix } from "./run.ts";

const AT_ONCE = 7;
// All columns on a machine whose cores are busy; a hung cell is given up long before.
const MATRIX_MS = 900_000;
export const REASONS: ReadonlySet<string> = new Set(EXCEPTIONS.map(({ reason }) => reason));

export interface Matrix {
  /** Known when the tests run. */
  readonly results: () => Results;
  /** All outcomes, in any order. */
  readonly outcomes: () => Outcome[];
}

/** Defines the tests of these columns. */
export function describeMatrix(columns: readonly Column[], atOnce = AT_ONCE): Matrix {
  const rows = columns.flatMap((column) =>
    CLIENTS.filter((client) => canMeet(client, column)).map((client) => ({ column, client })),
  );
  let results: Results;
  beforeAll(async () => {
    results = await runMatrix(columns, atOnce);
  }, MATRIX_MS);

  const outcomesOf = (column: Column, client: ClientKind): [string, Outcome][] =>
    FEATURES.map((feature) => [feature, results.outcome(column, client, feature)]);

  describe.each(rows.map((row) => [row.client, nameOf(row.column), row] as const))(
    "the client %s at the server %s",
    (_client, _column, { column, client }) => {
      it("has every feature that applies", () => {
        const failures = outcomesOf(column, client).flatMap(([feature, outcome]) =>
          outcome.kind === "fails" ? [`${feature} fails: ${outcome.reason}`] : [],
        );
        expect(failures.length, failures.join("\n\n")).toBe(0);
      });

      it("has a documented reason for every feature that does not apply", () => {
        const reasons = outcomesOf(column, client).flatMap(([, outcome]) =>
          outcome.kind === "not applicable" ? [outcome.reason] : [],
        );
        const documented = exceptionsOf(column).map(({ reason }) => reason);
        expect(reasons.filter((reason) => !documented.includes(reason))).toEqual([]);
      });
    },
  );

  const outcomes = (): Outcome[] =>
    rows.flatMap(({ column, client }) => outcomesOf(column, client)).map(([, outcome]) => outcome);
  return { results: () => results, outcomes };
}
