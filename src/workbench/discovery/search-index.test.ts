import { describe, expect, it } from "vitest";

import type { Server } from "../../servers/server.ts";
import { Catalogue } from "../../servers/tools/catalogue.ts";
import { SearchIndex } from "./search-index.ts";
import type { Workbench } from "../workbench.ts";

/** An index that goes on when this promise resolves. */
function indexOf(workbench: Workbench, mayGoOn: Promise<void>): SearchIndex {
  return new SearchIndex(workbench, () => ({ due: false, spentMs: 0, rest: () => mayGoOn }));
}

function workbenchWith(tools: number): { workbench: Workbench; server: Server } {
  const listed = Array.from({ length: tools }, (_, i) => {
    const value = { name: `tool${i}`, description: "does something with kittens ".repeat(40) };
    return { value, text: JSON.stringify(value) };
  });
  const catalogue = new Catalogue(listed, () => true);
  const settings = { toolbox: "a", name: "s", disabled: false };
  const server = { name: "s", settings, place: { toolbox: "a", server: "s" } };
  const toolbox = { settings: { name: "a" }, servers: new Map([["s", server]]) };
  const workbench = {
    toolboxes: new Map([["a", toolbox]]),
    catalogues: { recall: () => Promise.resolve(), known: () => ({ catalogue }) },
  };
  return {
    workbench: workbench as unknown as Workbench,
    server: server as unknown as Server,
  };
}

describe("a server that takes long to index", () => {
  it("is found later, and searches do not wait for it", async () => {
    let goOn = (): void => {};
    const mayGoOn = new Promise<void>((resolve) => (goOn = resolve));
    const { workbench, server } = workbenchWith(1000);
    const index = indexOf(workbench, mayGoOn);
    await index.update();
    expect(index.isPending(server)).toBe(true);
    expect(index.finds("kittens", new Set(["a"]))).toBe(false);
    goOn();
    while (index.isPending(server)) await index.update();
    expect(index.finds("kittens", new Set(["a"]))).toBe(true);
  });

  it("is waited for if it is small", async () => {
    const { workbench, server } = workbenchWith(10);
    const index = indexOf(workbench, Promise.resolve());
    await index.update();
    expect(index.isPending(server)).toBe(false);
    expect(index.finds("kittens", new Set(["a"]))).toBe(true);
  });
});
