import { rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";

import { newFolder } from "../../../test/support/new-folder.ts";
import { pastUse } from "../../search/past-uses.ts";
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
