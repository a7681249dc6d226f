import { describe, expect, it } from "vitest";
import { ownUri, qualifiedUri } from "./kept-schemes.ts";

const place = { toolbox: "dev", server: "charts" };

describe("URIs that keep their scheme", () => {
  it.each([
    ["ui://bar", "ui://dev.charts/bar"],
    ["ui://charts/bar?x=1#y", "ui://dev.charts/charts/bar?x=1#y"],
    ["ui:///bar", "ui://dev.charts//bar"],
    ["ui://", "ui://dev.charts/"],
    ["skill://pdf/SKILL.md", "skill://dev.charts/pdf/SKILL.md"],
    ["ui://dev.charts/bar", "ui://dev.charts/dev.charts/bar"],
  ])("%s has the server as its authority, and leads back", (own, shown) => {
    expect(qualifiedUri(place, own)).toBe(shown);
    expect(ownUri(shown)).toEqual({ place, uri: own });
  });

  it("are unambiguous if names have dots", () => {
    const dotted = { toolbox: "a.b", server: "c.d" };
    expect(qualifiedUri(dotted, "ui://x")).toBe("ui://a%2Eb.c.d/x");
    expect(ownUri("ui://a%2Eb.c.d/x")).toEqual({ place: dotted, uri: "ui://x" });
  });

  it.each(["file:///a.b/c", "ui://bar/x.html", "ui://a.b", "UI://a.b/c"])(
    "do not include %s",
    (uri) => expect(ownUri(uri)).toBeUndefined(),
  );

  it.each(["skill://../x", "skill://a/%2e%2E/b", "ui://..%2fx", "skill://a/..\\b", "ui://a/."])(
    "are not made of %s, which a client could take for a path to another server",
    (uri) => expect(qualifiedUri(place, uri)).toBeUndefined(),
  );

  it.each(["ui://...", "ui://a..b/c.", "skill://.hidden/SKILL.md"])("are made of %s", (uri) =>
    expect(qualifiedUri(place, uri)).toBeDefined(),
  );

  it("are not made of others", () => {
    expect(qualifiedUri(place, "file:///x")).toBeUndefined();
  });
});
