import { describe, expect, it, vi } from "vitest";

import { GENEROUS_MS } from "../../../test/support/clients/json-rpc.ts";
import { FakeCluster } from "../../../test/support/fake-cluster.ts";
import type { KnownServer } from "../../servers/server-memory.ts";
import type { CatalogueStore } from "./catalogues.ts";
import { SharedCatalogues } from "./shared-catalogues.ts";

const known = (description: string): KnownServer => {
  const tool = { name: "t", description, inputSchema: { type: "object" } };
  return {
    eras: new Map(),
    serverInfo: { name: "s", version: "1" },
    capabilities: {},
    instructions: undefined,
    tools: [{ value: tool, text: JSON.stringify(tool) }],
    others: new Map(),
  };
};

/** A disk that knows nothing but what is written to it. */
function disk(): CatalogueStore {
  const stored = new Map<string, KnownServer | "unreachable">();
  return {
    read: async (identity) => stored.get(identity),
    write: async (identity, one) => void stored.set(identity, one),
    writeUnreachable: async (identity) => void stored.set(identity, "unreachable"),
  };
}

describe("what replicas know about servers", () => {
  it("is known to all, unless it is too large for Redis or secret", async () => {
    const cluster = new FakeCluster();
    const redact = (text: string): string => text.replaceAll("hunter2", "***");
    const store = (): CatalogueStore => new SharedCatalogues(cluster.link(), redact, disk());
    const [a, b] = [store(), store()];
    await b.writeUnreachable("one");
    await a.write("one", known("reads"));
    await a.write("large", known("x".repeat(300_000)));
    await a.write("secret", known("the password is hunter2"));
    expect(await b.read("one")).toMatchObject({ tools: known("reads").tools });
    expect([await b.read("large"), await b.read("other")]).toEqual([undefined, undefined]);
    expect([...cluster.texts.values()].join("")).not.toContain("hunter2");
    expect(await a.read("large")).toBeDefined();
  });

  it("is what this machine knows while Redis is away", async () => {
    const link = new FakeCluster().link();
    const store = new SharedCatalogues(link, (text) => text, disk());
    link.isUp = false;
    await store.write("one", known("reads"));
    expect(await store.read("one")).toBeDefined();
    expect(await store.read("two")).toBeUndefined();
  });

  it("is the latest on all replicas, also on those that knew something else", async () => {
    const cluster = new FakeCluster();
    const store = (link = cluster.link()) => new SharedCatalogues(link, (text) => text, disk());
    const link = cluster.link();
    const [a, b] = [store(link), store()];
    const descriptions = async (): Promise<unknown[]> =>
      Promise.all(
        [a, b].map(async (one) => {
          const found = await one.read("one");
          return found === "unreachable" ? found : found?.tools[0]?.value["description"];
        }),
      );
    await a.write("one", known("old"));
    await b.write("one", known("new"));
    expect(await descriptions()).toEqual(["new", "new"]);
    // What was learned without Redis is shared when it is back.
    a.follow(() => {});
    link.isUp = false;
    await a.write("one", known("newest"));
    expect(await descriptions()).toEqual(["newest", "new"]);
    link.isUp = true;
    const areNewest = async () => expect(await descriptions()).toEqual(["newest", "newest"]);
    await vi.waitFor(areNewest, GENEROUS_MS);
  });

  it("is read again by a replica that has read it, when another one learns something", async () => {
    const cluster = new FakeCluster();
    const links = [cluster.link("a"), cluster.link("b")] as const;
    const [a, b] = links.map((link) => new SharedCatalogues(link, (text) => text, disk()));
    const changed: string[] = [];
    b?.follow((identity) => changed.push(identity));
    await b?.read("one");
    await a?.write("one", known("reads"));
    await a?.write("two", known("writes"));
    expect(changed).toEqual(["one"]);
    await b?.write("one", known("own"));
    expect(changed).toEqual(["one"]);
  });
});
