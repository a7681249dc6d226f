import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";

import { NO_LOG } from "../../log.ts";
import type { Connection } from "../../servers/connection/connection.ts";
import { Catalogue } from "../../servers/tools/catalogue.ts";
import { wordTable } from "./word-table-file.ts";
import { Discovery, type SearchedWorkbench } from "./discovery.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A server that connects when the test wants it to. */
class FakeServer {
  readonly name: string;
  readonly settings;
  readonly place;
  state = "idle";
  probes = 0;
  known: object | undefined;
  wasUnreachable = false;
  readonly failures: { lastError?: string } = {};
  connect: () => void = () => {};
  fail: () => void = () => {};

  constructor(name: string) {
    this.name = name;
    this.place = { toolbox: "dev", server: name };
    this.settings = {
      toolbox: "dev",
      name,
      disabled: false,
      unavailable: undefined,
      secretTexts: [],
    };
  }

  async probe(_client: unknown, look: (connection: Connection) => Promise<void>): Promise<void> {
    this.probes++;
    await new Promise<void>((resolve, reject) => {
      this.connect = resolve;
      this.fail = () => reject(new Error("no"));
    });
    const value = { name: `tool_of_${this.name}`, description: "Feeds kittens" };
    const listed = [{ value, text: JSON.stringify(value) }];
    this.known = {
      catalogue: new Catalogue(listed, () => true),
      serverInfo: {},
      instructions: undefined,
    };
    await look({} as Connection);
  }
}

function discoveryOf(...servers: readonly FakeServer[]): (query: string) => Promise<string> {
  const settings = { name: "dev", description: "Tools", keywords: [] };
  const toolboxes = new Map([
    ["dev", { name: "dev", settings, servers: new Map(servers.map((one) => [one.name, one])) }],
  ]);
  const catalogues = {
    get version() {
      return servers.filter(({ known }) => known !== undefined).length;
    },
    known: (server: FakeServer) => server.known,
    isKnown: (server: FakeServer) => server.known !== undefined,
    loadAll: () => Promise.resolve(),
    complete: () => Promise.resolve(),
    isUnreachable: (server: FakeServer) => server.wasUnreachable,
    markUnreachable: (server: FakeServer) => void (server.wasUnreachable = true),
  };
  const workbench = {
    settings: { discovery: "lazy" },
    closing: false,
    host: { log: NO_LOG },
    toolboxes,
    catalogues,
  };
  const discovery = new Discovery(workbench as unknown as SearchedWorkbench);
  const scope = toolboxes as unknown as SearchedWorkbench["toolboxes"];
  return (query) => discovery.search(scope, { query });
}

/** The answer, and how long it took on the clock of the test. */
async function timed(search: Promise<string>): Promise<{ answer: string; ms: number }> {
  const begin = performance.now();
  const outcomes: { answer: string; ms: number }[] = [];
  void search.then((answer) => outcomes.push({ answer, ms: performance.now() - begin }));
  for (let i = 0; i < 200 && outcomes.length === 0; i++) await vi.advanceTimersByTimeAsync(100);
  const [outcome] = outcomes;
  if (outcome === undefined) throw new Error("the search did not end");
  return outcome;
}

/** A server whose tools are known. */
async function knownServer(name: string): Promise<FakeServer> {
  const server = new FakeServer(name);
  const probed = server.probe(undefined, () => Promise.resolve());
  server.connect();
  await probed;
  return server;
}

// Reading the file takes real time, which the clock of the tests does not have.
beforeAll(async () => {
  await wordTable();
});

describe("a search that finds nothing", () => {
  it("suggests a toolbox only if it has a server that can be used", async () => {
    const good = await timed(discoveryOf(await knownServer("good"))("zzz"));
    expect(good.answer).toContain("Nearest toolboxes:\ndev");
    const off = new FakeServer("off");
    off.settings.disabled = true;
    expect((await timed(discoveryOf(off)("zzz"))).answer).toBe("No tool matches.");
  });
});

describe("a search while a server hangs", () => {
  it("waits for it once, even if it is probed again later", async () => {
    const hung = new FakeServer("hung");
    const search = discoveryOf(await knownServer("good"), hung);
    const first = await timed(search("kittens"));
    expect(first.ms).toBeGreaterThanOrEqual(2000);
    expect(first.answer).toContain("Not searched yet (still starting): dev/hung");
    for (let i = 0; i < 3; i++) expect((await timed(search("kittens"))).ms).toBeLessThan(500);
    hung.fail();
    expect((await timed(search("kittens"))).answer).toContain(
      "Not searched (failed to connect): dev/hung",
    );
    await vi.advanceTimersByTimeAsync(60_000);
    expect((await timed(search("kittens"))).ms).toBeLessThan(500);
    expect(hung.probes).toBe(2);
    expect((await timed(search("nothing like that"))).ms).toBeLessThan(500);
  });

  it("does not wait at all if an earlier process has waited, unless nothing is found", async () => {
    const hung = new FakeServer("hung");
    hung.wasUnreachable = true;
    const search = discoveryOf(await knownServer("good"), hung);
    expect((await timed(search("kittens"))).ms).toBeLessThan(500);
    expect(hung.probes).toBe(1);
    expect((await timed(search("zzz"))).ms).toBeGreaterThanOrEqual(8000);
    expect((await timed(search("zzz"))).ms).toBeLessThan(500);
  });

  it("finds its tools when it has connected after all", async () => {
    const slow = new FakeServer("slow");
    const search = discoveryOf(await knownServer("good"), slow);
    await timed(search("kittens"));
    expect(slow.wasUnreachable).toBe(true);
    slow.connect();
    expect((await timed(search("kittens"))).answer).toContain("dev/slow/tool_of_slow");
  });

  it("waits for servers that were still in the queue", async () => {
    const servers = Array.from("abcdef", (name) => new FakeServer(name));
    const search = discoveryOf(await knownServer("good"), ...servers);
    await timed(search("kittens"));
    expect(servers.map(({ probes }) => probes)).toEqual([1, 1, 1, 1, 0, 0]);
    const second = timed(search("kittens"));
    await vi.advanceTimersByTimeAsync(0);
    for (const server of servers.slice(4)) server.connect();
    const { answer, ms } = await second;
    expect(answer).toContain("dev/e/tool_of_e");
    expect(ms).toBeLessThan(2000);
  });
});
