import { statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";

import { newFolder } from "../../../test/support/new-folder.ts";
import { addProposal, readProposals, takeProposal } from "./proposals.ts";

const HOUR = 3_600_000;
const change = (after: string) => ({ file: "/c.json", before: "0", after });

describe("a change that waits for the terminal", () => {
  it("is stored once, for the user alone, and taken once", async () => {
    const file = join(newFolder("proposals"), "proposals.json");
    const first = await addProposal(file, change("a"), 0);
    expect(await addProposal(file, change("a"), 1)).toEqual(first);
    expect(first.id).toMatch(/^[A-Z2-9]{6}$/);
    expect(readProposals(file, 1)).toEqual([first]);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(await takeProposal(file, first.id.toLowerCase(), 2)).toEqual(first);
    expect(await takeProposal(file, first.id, 3)).toBeUndefined();
  });

  it("expires after an hour, and gives way to the tenth newer one", async () => {
    const file = join(newFolder("proposals"), "proposals.json");
    for (let i = 0; i <= 10; i++) await addProposal(file, change(`text ${i}`), i);
    expect(readProposals(file, 11).map(({ after }) => after)).toEqual(
      Array.from({ length: 10 }, (_, i) => `text ${i + 1}`),
    );
    expect(readProposals(file, HOUR + 10)).toEqual([]);
    expect(
      await takeProposal(file, readProposals(file, 11)[0]?.id ?? "", HOUR + 10),
    ).toBeUndefined();
  });

  it("is not read from a file that is damaged", () => {
    const file = join(newFolder("proposals"), "proposals.json");
    writeFileSync(file, '{"version":1,"proposals":[{}]}', { mode: 0o600 });
    expect(() => readProposals(file)).toThrow("damaged");
  });
});
