import {
  chmodSync,
  existsSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { newFolder } from "../../../test/support/new-folder.ts";
import type { KnownServer } from "../../servers/server-memory.ts";
import { ensureKey, readKey } from "./catalogue-key.ts";
import { DiskCatalogues, type StorePlaces } from "./catalogue-store.ts";

let root: string;
let places: StorePlaces;

beforeEach(() => {
  root = newFolder("mcp-workbench-store");
  places = {
    folder: join(root, "cache", "catalogue"),
    keyFile: join(root, "state", "catalogue.key"),
  };
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const IDENTITY = '{"command":"server","env":{"TOKEN":"hunter2"}}';

function server(name: string): KnownServer {
  const text = JSON.stringify({ name });
  return {
    eras: new Map(),
    serverInfo: {},
    capabilities: {},
    instructions: undefined,
    tools: [{ text, value: { name } }],
    others: new Map(),
  };
}

function store(): DiskCatalogues {
  return new DiskCatalogues((text) => text, places);
}

async function nameOfTool(identity = IDENTITY): Promise<unknown> {
  const known = await store()
    .read(identity)
    .catch(() => undefined);
  return known === "unreachable" ? known : known?.tools[0]?.value["name"];
}

const files = (): string[] => readdirSync(places.folder);
const mode = (path: string): number => statSync(path).mode & 0o777;

describe("the catalogue cache", () => {
  it("returns in another process what was written", async () => {
    await store().write(IDENTITY, server("a"));
    expect(await nameOfTool()).toBe("a");
    expect(await nameOfTool("another server")).toBeUndefined();
  });

  it("creates no files until there is something to store", async () => {
    expect(await nameOfTool()).toBeUndefined();
    expect(readdirSync(root)).toEqual([]);
  });

  it("is private to its owner", async () => {
    await store().write(IDENTITY, server("a"));
    const [name = ""] = files();
    expect(mode(places.folder)).toBe(0o700);
    expect(mode(join(places.folder, name))).toBe(0o600);
    expect(mode(places.keyFile)).toBe(0o600);
  });

  it("restricts a folder that was open to others", async () => {
    await store().write(IDENTITY, server("a"));
    chmodSync(places.folder, 0o755);
    await store().write(IDENTITY, server("b"));
    expect(mode(places.folder)).toBe(0o700);
  });

  it("has file names that reveal nothing of the configuration and differ between users", async () => {
    await store().write(IDENTITY, server("a"));
    const [first] = files();
    expect(first).toMatch(/^[0-9a-f]{32}\.json$/);
    expect(readFileSync(join(places.folder, first ?? ""), "utf8")).not.toContain("hunter2");
    rmSync(places.keyFile);
    await store().write(IDENTITY, server("a"));
    expect(files()).toHaveLength(2);
  });

  it.each(["", "{", "x".repeat(1000), '{"format":1,"tools":[]}'])(
    "ignores a damaged file and replaces it: %j",
    async (damage) => {
      await store().write(IDENTITY, server("a"));
      const [name = ""] = files();
      writeFileSync(join(places.folder, name), damage);
      expect(await nameOfTool()).toBeUndefined();
      await store().write(IDENTITY, server("b"));
      expect(await nameOfTool()).toBe("b");
    },
  );

  it("ignores a damaged key and creates another", async () => {
    await store().write(IDENTITY, server("a"));
    writeFileSync(places.keyFile, "short");
    expect(await nameOfTool()).toBeUndefined();
    await store().write(IDENTITY, server("b"));
    expect(await nameOfTool()).toBe("b");
    expect(mode(places.keyFile)).toBe(0o600);
  });

  it("does not write what is already stored", async () => {
    const own = store();
    await own.write(IDENTITY, server("a"));
    const [name = ""] = files();
    rmSync(join(places.folder, name));
    await own.write(IDENTITY, server("a"));
    expect(files()).toEqual([]);
    await own.write(IDENTITY, server("b"));
    expect(files()).toEqual([name]);
  });

  it("is never incomplete while several processes write", async () => {
    const writers = Array.from({ length: 8 }, store);
    const written = writers.map(async (writer, i) => {
      for (let round = 0; round < 5; round++) {
        await writer.write(IDENTITY, server(`${i}-${round}`));
        expect(await nameOfTool()).toMatch(/^\d-\d$/);
      }
    });
    await Promise.all(written);
    expect(files()).toHaveLength(1);
  });

  it("deletes only its own files, after months without use", async () => {
    await store().write("old", server("old"));
    const [old = ""] = files();
    const longAgo = new Date(Date.now() - 100 * 24 * 60 * 60 * 1000);
    utimesSync(join(places.folder, old), longAgo, longAgo);
    writeFileSync(join(places.folder, "notes.txt"), "not ours");
    utimesSync(join(places.folder, "notes.txt"), longAgo, longAgo);
    await store().write("new", server("new"));
    expect(existsSync(join(places.folder, old))).toBe(false);
    expect(existsSync(join(places.folder, "notes.txt"))).toBe(true);
    expect(await nameOfTool("new")).toBe("new");
  });

  it("marks an entry as used when it is read", async () => {
    await store().write(IDENTITY, server("a"));
    const [name = ""] = files();
    const lastWeek = new Date(Date.now() - 7 * 24 * 60 * 60 * 1000);
    utimesSync(join(places.folder, name), lastWeek, lastWeek);
    await nameOfTool();
    expect(statSync(join(places.folder, name)).mtimeMs).toBeGreaterThan(lastWeek.getTime());
  });
});

describe("ensureKey", () => {
  it("returns the same key to all concurrent callers", async () => {
    const keys = await Promise.all(Array.from({ length: 10 }, () => ensureKey(places.keyFile)));
    expect(new Set(keys.map((key) => key.toString("hex"))).size).toBe(1);
    expect(await readKey(places.keyFile)).toEqual(keys[0]);
    expect(readdirSync(join(root, "state"))).toEqual(["catalogue.key"]);
  });
});
