/** The fidelity matrix: every cell is tried, and `docs/fidelity.md` shows what became of it. */
import { beforeAll, describe, expect, it } from "vitest";
import { CLIENTS, type ClientKind } from "../support/clients/matrix-client.ts";
import { COLUMNS, type Column, DIRECT_COLUMNS, canMeet, nameOf } from "./columns.ts";
import { FEATURES } from "./features.ts";
import { EXCEPTIONS } from "./not-applicable.ts";
import { fidelityPage } from "./page.ts";
import { type Outcome, type Results, runMatrix } from "./run.ts";

const AT_ONCE = 7;
// All columns on a machine whose cores are busy; a hung cell is given up long before.
const MATRIX_MS = 900_000;
const ALL = [...DIRECT_COLUMNS, ...COLUMNS];
const ROWS = ALL.flatMap((column) =>
  CLIENTS.filter((client) => canMeet(client, column)).map((client) => ({ column, client })),
);
const REASONS = new Set(EXCEPTIONS.map(({ reason }) => reason));

let results: Results;
beforeAll(async () => {
  results = await runMatrix(ALL, AT_ONCE);
}, MATRIX_MS);

const outcomesOf = (column: Column, client: ClientKind): [string, Outcome][] =>
  FEATURES.map((feature) => [feature, results.outcome(column, client, feature)]);

describe.each(ROWS.map((row) => [row.client, nameOf(row.column), row] as const))(
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
      expect(reasons.filter((reason) => !REASONS.has(reason))).toEqual([]);
    });
  },
);

describe("the fidelity matrix", () => {
  it("needs every documented reason why a feature does not apply", () => {
    const given = ROWS.flatMap(({ column, client }) => outcomesOf(column, client)).map(
      ([, outcome]) => (outcome.kind === "not applicable" ? outcome.reason : ""),
    );
    expect([...REASONS].filter((reason) => !given.includes(reason))).toEqual([]);
  });

  it("is what `docs/fidelity.md` shows; `npm run fidelity` writes it", async () => {
    await expect(fidelityPage(results)).toMatchFileSnapshot("../../docs/fidelity.md");
  });
});
