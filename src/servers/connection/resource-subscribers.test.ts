import { describe, expect, it } from "vitest";

import { ResourceSubscribers } from "./resource-subscribers.ts";
import type { ServerClient } from "./server-client.ts";

function client(): ServerClient {
  return { logLevel: undefined, onToolsChanged() {}, onNotification() {}, onServerRequest() {} };
}

describe("the subscribers of each resource", () => {
  it("report the end of a subscription when its last subscriber unsubscribes", () => {
    const interests = new ResourceSubscribers();
    const [a, b] = [client(), client()];
    interests.add("x:/1", a);
    interests.add("x:/1", b);
    interests.add("x:/1", b);
    expect(interests.remove("x:/1", b)).toBe(false);
    expect(interests.remove("x:/1", a)).toBe(true);
  });

  it("report the end of a subscription without subscribers", () => {
    expect(new ResourceSubscribers().remove("x:/1", client())).toBe(true);
  });

  it("report which subscriptions end when a client leaves, except those that others share", () => {
    const interests = new ResourceSubscribers();
    const [a, b] = [client(), client()];
    for (const uri of ["x:/1", "x:/2"]) interests.add(uri, a);
    interests.add("x:/2", b);
    interests.add("x:/3", b);
    expect(interests.removeClient(a)).toEqual(["x:/1"]);
    expect(interests.removeClient(a)).toEqual([]);
    expect(interests.removeClient(b)).toEqual(["x:/2", "x:/3"]);
  });
});
