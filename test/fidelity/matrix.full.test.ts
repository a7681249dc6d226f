/** The whole fidelity matrix, and `docs/fidelity.md`, which shows it. */
import { describe, expect, it } from "vitest";
import { COLUMNS, DIRECT_COLUMNS } from "./columns.ts";
import { REASONS, describeMatrix } from "./describe-matrix.ts";
import { fidelityPage } from "./page.ts";

const { results, outcomes } = describeMatrix([...DIRECT_COLUMNS, ...COLUMNS]);

describe("the fidelity matrix", () => {
  it("needs every documented reason why a feature does not apply", () => {
    const given = outcomes().map((outcome) =>
      outcome.kind === "not applicable" ? outcome.reason : "",
    );
    expect([...REASONS].filter((reason) => !given.includes(reason))).toEqual([]);
  });

  it("is what `docs/fidelity.md` shows; `npm run fidelity` writes it", async () => {
    await expect(fidelityPage(results())).toMatchFileSnapshot("../../docs/fidelity.md");
  });
});
