import { describe, expect, it } from "vitest";
import { RequestTable } from "./request-table.ts";

describe("the requests of a client", () => {
  it("are distinguished by the text of their ids, even if these are equal numbers", () => {
    const ids = ["1", "01", "1.0", "1e0", "-1", '"1"', "0", "-0", "00", "999999999999999"];
    const further = ["9999999999999999", "10000000000000000", '""', '"__proto__"', "17", "33"];
    const table = new RequestTable<string>();
    for (const id of [...ids, ...further]) table.set(id, `request ${id}`);
    expect(table.size).toBe(ids.length + further.length);
    for (const id of [...ids, ...further]) expect(table.get(id)).toBe(`request ${id}`);
    for (const id of ids) table.delete(id);
    for (const id of ids) expect(table.get(id)).toBeUndefined();
    expect(table.values().sort()).toEqual(further.map((id) => `request ${id}`).sort());
  });
});
