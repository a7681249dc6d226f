import { describe, expect, it } from "vitest";
import { linkTo, parseRoute } from "./route.ts";

describe("a place in the dashboard", () => {
  it("is written to the address and read from it", () => {
    const path = ["dev", "a/b", "tool #1?", "é😀"];
    const query = { q: "read & write", empty: "" };
    expect(parseRoute(linkTo("tools", path, query))).toEqual({
      page: "tools",
      path,
      query: { q: "read & write" },
    });
  });

  it.each(["", "#", "#/", "/"])("is the home page for %j", (fragment) => {
    expect(parseRoute(fragment)).toEqual({ page: "servers", path: [], query: {} });
  });

  it("is a valid link for every name of a tool", () => {
    for (const name of ["\ud800", "a/b", "..", "?x#y%2F"]) {
      const { path } = parseRoute(linkTo("tools", ["dev", "fx", name]));
      expect(path).toEqual(["dev", "fx", name === "\ud800" ? "\ufffd" : name]);
    }
  });

  it("can be anything that a person types", () => {
    expect(parseRoute("#/tools/%zz/%")).toEqual({ page: "tools", path: ["%zz", "%"], query: {} });
  });
});
