import { describe, expect, it } from "vitest";
import { resolveConfig } from "../../config/load.ts";
import { NO_LOG } from "../../log.ts";
import type { Era } from "../../protocol/client-profile.ts";
import { Catalogue } from "../../servers/tools/catalogue.ts";
import { Connection } from "../../servers/connection/connection.ts";
import { NOT_CONNECTED } from "../../servers/handshake/server-hello.ts";
import type { KnownServer } from "../../servers/server-memory.ts";
import type { PinSource } from "../../servers/definition-pins.ts";
import { Server } from "../../servers/server.ts";
import { Catalogues } from "./catalogues.ts";

class MemoryStore {
  readonly files = new Map<string, KnownServer | "unreachable">();

  writeUnreachable(identity: string): Promise<void> {
    this.files.set(identity, "unreachable");
    return Promise.resolve();
  }

  read(identity: string): Promise<KnownServer | "unreachable" | undefined> {
    return Promise.resolve(this.files.get(identity));
  }

  write(identity: string, known: KnownServer): Promise<void> {
    this.files.set(identity, known);
    return Promise.resolve();
  }
}

async function newServer(toolFilters: string[] = ["*"]): Promise<Server> {
  const entry = { command: "x", toolFilters };
  const config = { toolboxes: { dev: { description: "d", mcpServers: { s: entry } } } };
  const settings = (await resolveConfig(config)).toolboxes.get("dev")?.servers.get("s");
  if (settings === undefined) throw new Error("no such server");
  return new Server(settings);
}

function connection(server: Server, version: string, ...names: string[]): Connection {
  const made = new Connection(server, { onNotification() {}, onRequest() {}, onLost() {} });
  made.hello = { ...NOT_CONNECTED, serverInfo: { name: "s", version } };
  const listed = names.map((name) => ({ text: JSON.stringify({ name }), value: { name } }));
  made.catalogue = new Catalogue(listed, () => true);
  return made;
}

/** A server for which this era was found. */
function speaking(server: Server, era: Era): Server {
  Object.defineProperty(server, "eras", { value: new Map([["legacy", era]]) });
  return server;
}

function open(store: MemoryStore | undefined): Catalogues {
  return new Catalogues(
    () => "identity",
    () => (store === undefined ? Promise.reject(new Error("no disk")) : Promise.resolve(store)),
    NO_LOG,
  );
}

const namesIn = (known: KnownServer | undefined): unknown[] =>
  (known?.tools ?? []).map(({ value }) => value["name"]);

describe("Catalogues", () => {
  it("remembers what a connection listed at once, and on disk after a flush", async () => {
    const store = new MemoryStore();
    const catalogues = open(store);
    const server = await newServer();
    expect(await catalogues.load(server)).toBeUndefined();
    catalogues.update(server, connection(server, "1", "a"));
    expect(namesIn(catalogues.known(server))).toEqual(["a"]);
    expect(store.files.size).toBe(0);
    await catalogues.flush();
    expect(namesIn(await open(store).load(await newServer()))).toEqual(["a"]);
  });

  it("applies the current filters to what is stored", async () => {
    const store = new MemoryStore();
    const server = await newServer();
    const catalogues = open(store);
    catalogues.update(server, connection(server, "1", "a", "b"));
    await catalogues.flush();
    const filtered = await open(store).load(await newServer(["b"]));
    expect([...(filtered?.catalogue.tools.keys() ?? [])]).toEqual(["b"]);
    await server.reconfigure((await newServer(["a"])).settings, false);
    expect([...(catalogues.known(server)?.catalogue.tools.keys() ?? [])]).toEqual(["a"]);
  });

  it("keeps prompts and resources when only the tools are listed again", async () => {
    const catalogues = open(new MemoryStore());
    const server = await newServer();
    const first = connection(server, "1", "a");
    catalogues.update(server, first);
    const prompt = { text: '{"name":"p"}', value: { name: "p" } };
    catalogues.learnList(server, first, "prompts", [prompt]);
    catalogues.update(server, connection(server, "1", "b"));
    expect(catalogues.known(server)?.others.get("prompts")).toEqual([prompt]);
  });

  it("have another version after each change, and give the same answer until then", async () => {
    const store = new MemoryStore();
    const catalogues = open(store);
    const server = await newServer();
    const versions = new Set([catalogues.version]);
    const first = connection(server, "1", "a");
    catalogues.update(server, first);
    versions.add(catalogues.version);
    const known = catalogues.known(server);
    expect(catalogues.known(server)).toBe(known);
    catalogues.learnList(server, first, "prompts", []);
    versions.add(catalogues.version);
    expect(catalogues.known(server)).not.toBe(known);
    catalogues.update(server, connection(server, "1", "b"));
    versions.add(catalogues.version);
    expect(namesIn(catalogues.known(server))).toEqual(["b"]);
    expect(versions.size).toBe(4);
    await catalogues.flush();
    const later = open(store);
    const before = later.version;
    await later.load(await newServer());
    expect(later.version).not.toBe(before);
  });

  it("keeps the era of a server until the server's version changes", async () => {
    const store = new MemoryStore();
    const eraAfter = async (version: string): Promise<Era | undefined> => {
      const catalogues = open(store);
      const server = speaking(await newServer(), "legacy");
      await catalogues.load(server);
      catalogues.update(server, connection(server, version));
      catalogues.update(server, connection(server, version));
      await catalogues.flush();
      const file = store.files.get("identity");
      return file === "unreachable" ? undefined : file?.eras.get("legacy");
    };
    expect(await eraAfter("1")).toBe("legacy");
    expect(await eraAfter("1")).toBe("legacy");
    expect(await eraAfter("2")).toBeUndefined();
    expect(await eraAfter("2")).toBe("legacy");
  });

  it("remember that a server did not connect, until it does", async () => {
    const store = new MemoryStore();
    const before = open(store);
    const server = await newServer();
    await before.load(server);
    expect(before.isUnreachable(server)).toBe(false);
    before.markUnreachable(server);
    await before.flush();
    const after = open(store);
    expect(await after.load(server)).toBeUndefined();
    expect(after.isUnreachable(server)).toBe(true);
    after.update(server, connection(server, "1", "a"));
    after.markUnreachable(server);
    await after.flush();
    const later = open(store);
    expect(namesIn(await later.load(server))).toEqual(["a"]);
    expect(later.isUnreachable(server)).toBe(false);
  });

  it("works without a disk", async () => {
    const catalogues = open(undefined);
    const server = await newServer();
    expect(await catalogues.load(server)).toBeUndefined();
    catalogues.update(server, connection(server, "1", "a"));
    await catalogues.flush();
    expect(namesIn(await catalogues.load(server))).toEqual(["a"]);
  });

  it("keep what a server says about itself from models if only approved texts may reach them", async () => {
    const server = await newServer();
    const made = connection(server, "1", "a");
    made.hello = { ...made.hello, serverInfo: { name: "s", title: "T", description: "D" } };
    const shown = (isEnforced: boolean): object | undefined => {
      const current = {
        isEnforced,
        reviewTools: () => ({ withheld: new Map(), problems: [] }),
        approvesInstructions: () => true,
      };
      const pins = { current } as unknown as PinSource;
      const catalogues = new Catalogues(
        () => "identity",
        () => Promise.resolve(undefined),
        NO_LOG,
        undefined,
        pins,
      );
      catalogues.update(server, made);
      return catalogues.known(server)?.serverInfo;
    };
    expect(shown(true)).toEqual({ name: "s" });
    expect(shown(false)).toEqual({ name: "s", title: "T", description: "D" });
  });
});
