import { describe, expect, it } from "vitest";

import { smallTable } from "../../../test/fixtures/word-table.ts";
import type { WordTable } from "../../search/vectors/word-table.ts";
import type { Server } from "../../servers/server.ts";
import { Slices } from "../../servers/slices.ts";
import { Catalogue } from "../../servers/tools/catalogue.ts";
import { SearchIndex } from "./search-index.ts";
import type { Workbench } from "../workbench.ts";

/** Indexing rests until the gate opens. */
class GatedSlices extends Slices {
  readonly #opened: Promise<void>;

  constructor(opened: Promise<void>) {
    super();
    this.#opened = opened;
  }

  override rest(): Promise<void> {
    return this.#opened;
  }
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
    catalogues: {
      loadAll: () => Promise.resolve(),
      known: () => ({ catalogue, serverInfo: {} }),
      version: 0,
    },
  };
  return {
    workbench: workbench as unknown as Workbench,
    server: server as unknown as Server,
  };
}

describe("a server that describes itself", () => {
  it("is found by its description, also by one that came later", async () => {
    const { workbench } = workbenchWith(1);
    const known = workbench.catalogues.known({} as Server);
    let serverInfo: object = { title: "Zoo manager" };
    const catalogues = {
      ...workbench.catalogues,
      version: 0,
      known: () => ({ ...known, serverInfo }),
    };
    const index = new SearchIndex({ ...workbench, catalogues } as unknown as Workbench);
    await index.update();
    expect(index.finds("zoo", new Set(["a"]))).toBe(true);
    serverInfo = { title: "Zoo manager", description: "Feeds zebras" };
    catalogues.version++;
    await index.update();
    const [hit] = index.tools.search("zebras");
    expect(hit?.about).toBe("Feeds zebras");
  });
});

describe("a server that takes long to index", () => {
  it("is found later, and searches do not wait for it", async () => {
    let open = (): void => {};
    const opened = new Promise<void>((resolve) => (open = resolve));
    const { workbench, server } = workbenchWith(1000);
    const index = new SearchIndex(workbench, () => new GatedSlices(opened));
    await index.update();
    expect(index.pending([server])).toEqual([server]);
    expect(index.finds("kittens", new Set(["a"]))).toBe(false);
    open();
    while (index.pending([server]).length > 0) await index.update();
    expect(index.finds("kittens", new Set(["a"]))).toBe(true);
  });

  it("is waited for if it is small", async () => {
    const { workbench, server } = workbenchWith(10);
    const index = new SearchIndex(workbench);
    await index.update();
    expect(index.pending([server])).toEqual([]);
    expect(index.finds("kittens", new Set(["a"]))).toBe(true);
  });
});

describe("the table of word vectors", () => {
  it("is read by the first search, not before it, and only once", async () => {
    const { workbench } = workbenchWith(2);
    let reads = 0;
    const readTable = (): Promise<WordTable> => {
      reads++;
      return Promise.resolve(smallTable());
    };
    const index = new SearchIndex(workbench, undefined, readTable);
    expect(reads).toBe(0);
    await index.update();
    await index.update();
    expect(reads).toBe(1);
  });

  it("is not needed to find tools by their words", async () => {
    const { workbench } = workbenchWith(2);
    const warnings: string[] = [];
    const host = { log: { warn: (text: string) => warnings.push(text) } };
    const unreadable = (): Promise<WordTable> => Promise.reject(new Error("damaged"));
    const index = new SearchIndex({ ...workbench, host } as never, undefined, unreadable);
    await index.update();
    expect(index.finds("kittens", new Set(["a"]))).toBe(true);
    expect(warnings).toEqual(["tools are searched without word vectors: damaged"]);
  });
});

describe("a search after another", () => {
  it("asks for the tools of servers only if something has changed", async () => {
    const { workbench, server } = workbenchWith(2);
    const catalogues = { ...workbench.catalogues, version: 1 };
    let asked = 0;
    const known = (one: Server): unknown => {
      asked++;
      return workbench.catalogues.known(one);
    };
    const source = { ...workbench, catalogues: Object.assign(catalogues, { known }) };
    const index = new SearchIndex(source as never);
    await index.update();
    await index.update();
    expect(asked).toBe(1);
    catalogues.version++;
    await index.update();
    expect(asked).toBe(2);
    Object.assign(server, { settings: { ...server.settings } });
    await index.update();
    expect(asked).toBe(3);
  });
});
