import { describe, expect, it } from "vitest";

import type { ListedItem } from "../requests/list-reader.ts";
import { SOURCE_KEY } from "../script-source.ts";
import { Catalogue } from "./catalogue.ts";

const item = (value: Readonly<Record<string, unknown>>): ListedItem => ({
  value,
  text: JSON.stringify(value),
});
const all = (): boolean => true;
const namesIn = ({ tools }: Catalogue): string[] => [...tools.keys()];

describe("Catalogue", () => {
  it("contains the tools that pass the filter, in the server's order", () => {
    const listed = ["b", "hidden", "a"].map((name) => item({ name }));
    expect(namesIn(new Catalogue(listed, (name) => name !== "hidden"))).toEqual(["b", "a"]);
  });

  it("leaves out tools without a name and later tools of the same name", () => {
    const listed = [
      item({}),
      item({ name: 7 }),
      item({ name: "" }),
      item({ name: "a", v: 1 }),
      item({ name: "a", v: 2 }),
    ];
    const catalogue = new Catalogue(listed, all);
    expect(namesIn(catalogue)).toEqual(["a"]);
    expect(catalogue.tools.get("a")?.value).toEqual({ name: "a", v: 1 });
  });

  it("accepts any tool name and keeps it as JSON", () => {
    for (const name of ["__proto__", 'a"b', "ä€😀", "constructor"]) {
      const { tools } = new Catalogue([item({ name })], all);
      expect(tools.get(name)).toMatchObject({ name, nameJson: JSON.stringify(name) });
    }
  });

  it("has the same fingerprint only for the same tools", () => {
    const print = (...values: Record<string, unknown>[]): string =>
      new Catalogue(values.map(item), all).fingerprint;
    const [a, b] = [{ name: "a" }, { name: "b" }];
    expect(print(a, b)).toBe(print({ ...a }, { ...b }));
    const different = [print(), print(a), print(b), print(a, b), print(b, a)];
    different.push(print({ ...a, description: "x" }));
    expect(new Set(different).size).toBe(different.length);
  });

  it("shows saved scripts without the digest of their source, but differs with it", () => {
    const script = (digest: string): Catalogue =>
      new Catalogue([item({ name: "a", [SOURCE_KEY]: digest })], all, {}, undefined, true);
    const [one, other] = [script("1"), script("2")];
    expect(one.tools.get("a")).toMatchObject({ text: '{"name":"a"}', version: "1" });
    expect(one.rawTools[0]?.value).toHaveProperty(SOURCE_KEY);
    expect(one.fingerprint).not.toBe(other.fingerprint);
  });

  it("is empty before anything is listed", () => {
    expect(namesIn(Catalogue.EMPTY)).toEqual([]);
    expect(Catalogue.EMPTY.fingerprint).toBe(new Catalogue([], all).fingerprint);
  });
});
