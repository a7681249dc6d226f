/** The fidelity matrix: every cell is tried, and `docs/fidelity.md` shows what became of it. */
import { beforeAll, describe, expect, it } from "vitest";
import { CLIENTS, type ClientKind } from "./clients/client.ts";
import { COLUMNS, type Column, DIRECT_COLUMNS, canMeet, nameOf } from "./columns.ts";
import { FEATURES } from "./features.ts";
import { EXCEPTIONS } from "./not-applicable.ts";
import { fidelityPage } from "./page.ts";
import { type Outcome, type Results, runMatrix } from "./run.ts";

const AT_ONCE = 7;
const MATRIX_MS = 300_000;
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

describe.each(ROWS.map((row) => [`${row.client}: ${nameOf(row.column)}`, row] as const))(
  "%s",
  (_name, { column, client }) => {
    it("has every feature that applies", () => {
      const failures = outcomesOf(column, client).filter(([, { kind }]) => kind === "fails");
      expect(failures).toEqual([]);
    });

    it("gives a reason for every feature that does not", () => {
      const reasons = outcomesOf(column, client).flatMap(([, outcome]) =>
        outcome.kind === "not applicable" ? [outcome.reason] : [],
      );
      expect(reasons.filter((reason) => !REASONS.has(reason))).toEqual([]);
    });
  },
);

it("every reason for which something does not apply is needed somewhere", () => {
  const given = ROWS.flatMap(({ column, client }) => outcomesOf(column, client)).map(
    ([, outcome]) => (outcome.kind === "not applicable" ? outcome.reason : ""),
  );
  expect([...REASONS].filter((reason) => !given.includes(reason))).toEqual([]);
});

it("`docs/fidelity.md` shows these outcomes; `npm run fidelity` writes it", async () => {
  await expect(fidelityPage(results)).toMatchFileSnapshot("../../docs/fidelity.md");
});
