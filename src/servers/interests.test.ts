import { describe, expect, it } from "vitest";

import { Interests } from "./interests.ts";
import type { ServerClient } from "./server-client.ts";

function client(): ServerClient {
  return { logLevel: undefined, toolsChanged() {}, notified() {}, asked() {} };
}

describe("Interests", () => {
  it("are over when the last who had one gives it up", () => {
    const interests = new Interests();
    const [a, b] = [client(), client()];
    interests.add("x:/1", a);
    interests.add("x:/1", b);
    interests.add("x:/1", b);
    expect(interests.remove("x:/1", b)).toBe(false);
    expect(interests.remove("x:/1", a)).toBe(true);
  });

  it("that nobody had are over", () => {
    expect(new Interests().remove("x:/1", client())).toBe(true);
  });

  it("of a client that leaves are over unless others share them", () => {
    const interests = new Interests();
    const [a, b] = [client(), client()];
    for (const uri of ["x:/1", "x:/2"]) interests.add(uri, a);
    interests.add("x:/2", b);
    interests.add("x:/3", b);
    expect(interests.leave(a)).toEqual(["x:/1"]);
    expect(interests.leave(a)).toEqual([]);
    expect(interests.leave(b)).toEqual(["x:/2", "x:/3"]);
  });
});
