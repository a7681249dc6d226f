import { rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";

import { newFolder } from "../../../test/support/new-folder.ts";
import { MAX_USES, pastUse } from "../../search/past-uses.ts";
import { addUses, readUses } from "./use-store.ts";

const folder = newFolder("mcp-workbench-uses");
afterAll(() => rmSync(folder, { recursive: true }));

describe("the file of past uses", () => {
  const file = join(folder, "state", "search-uses.json");
  const first = pastUse("send a mail", "office/mail/send");
  const second = pastUse("list pods", "ops/k8s/pods_list");

  it("keeps what is added, once, readable only by its owner", async () => {
    expect(readUses(file)).toEqual([]);
    await addUses([first], file);
    await addUses([second, first], file);
    expect(readUses(file)).toEqual([second, first]);
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  it("does not keep a tool whose name is too long, or a query without words", async () => {
    rmSync(file, { force: true });
    await addUses([pastUse("send a mail", "x".repeat(2_000_000)), pastUse("?", "a/b/c")], file);
    await addUses([first], file);
    expect(readUses(file)).toEqual([first]);
  });

  it("forgets the oldest before it becomes too large to be read", async () => {
    rmSync(file, { force: true });
    const letters = [..."абвгдежзийклмнопрсту"];
    const long = Array.from({ length: MAX_USES }, (_, i) =>
      pastUse(letters.map((letter) => letter.repeat(50) + i).join(" "), "a/b/c"),
    );
    await addUses(long, file);
    await addUses([first], file);
    expect(readUses(file).slice(-2)).toEqual([long.at(-1), first]);
    expect(readUses(file).length).toBeGreaterThan(100);
  });

  it.each(["", "no JSON", "[]", '{"uses":7}', '{"uses":[7,{"tool":1},{"terms":[]}]}'])(
    "is replaced if it is %j",
    async (damaged) => {
      writeFileSync(file, damaged);
      expect(readUses(file)).toEqual([]);
      await addUses([first], file);
      expect(readUses(file)).toEqual([first]);
    },
  );
});
