import { once } from "node:events";
import { chmodSync, existsSync, mkdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

import { newFolder } from "../../../test/support/new-folder.ts";
import {
  allRecords,
  isOlder,
  isSameConfig,
  placeOf,
  readRecord,
  removeRecord,
  rendezvousOf,
  writeRecord,
} from "./rendezvous.ts";

let folder: string;
beforeEach(() => {
  folder = newFolder("rendezvous");
  vi.stubEnv("XDG_STATE_HOME", folder);
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true, force: true });
});

const recordFor = (key: string, socket: string) => ({
  key,
  pid: 1,
  version: "1.0.0",
  config: "/a.json",
  socket,
  secret: "s",
});

describe("the rendezvous of a configuration", () => {
  it("differs by configuration, version and folders of the user", () => {
    const { key } = rendezvousOf("/a.json", "1.0.0");
    expect(rendezvousOf("/a.json", "1.0.0").key).toBe(key);
    const newer = rendezvousOf("/a.json", "1.0.1").key;
    const other = rendezvousOf("/b.json", "1.0.0").key;
    expect(isSameConfig(key, newer)).toBe(true);
    expect(isSameConfig(key, other)).toBe(false);
    vi.stubEnv("XDG_CACHE_HOME", join(folder, "cache"));
    expect(new Set([key, newer, other, rendezvousOf("/a.json", "1.0.0").key]).size).toBe(4);
  });

  it("is private", () => {
    const place = rendezvousOf("/a.json", "1.0.0");
    const record = recordFor(place.key, join(folder, "x.sock"));
    writeRecord(place, record);
    expect(statSync(place.folder).mode & 0o777).toBe(0o700);
    expect(statSync(place.record).mode & 0o777).toBe(0o600);
    expect(readRecord(place)).toEqual(record);
    expect(allRecords()).toEqual([record]);
    chmodSync(place.record, 0o622);
    expect(readRecord(place)).toBeUndefined();
  });

  it("ignores damaged records", () => {
    const place = rendezvousOf("/a.json", "1.0.0");
    writeRecord(place, recordFor(place.key, "/x.sock"));
    for (const text of ["", "{", "[]", '{"pid":1}', '{"pid":"1","socket":"a","secret":"b"}']) {
      writeFileSync(place.record, text);
      expect(readRecord(place)).toBeUndefined();
    }
    writeFileSync(join(place.folder, "other.json"), "{}");
    expect(allRecords()).toEqual([]);
  });

  it("removes the record of a process only if none has taken its place", async () => {
    const place = rendezvousOf("/a.json", "1.0.0");
    const former = recordFor(place.key, join(folder, "former.sock"));
    const current = recordFor(place.key, join(folder, "current.sock"));
    writeRecord(place, former);
    const server = createServer().listen(former.socket);
    await once(server, "listening");
    writeRecord(place, current);
    removeRecord(place, former);
    expect(existsSync(former.socket)).toBe(false);
    server.close();
    expect(readRecord(place)).toEqual(current);
    removeRecord(place, current);
    expect(readRecord(place)).toBeUndefined();
  });

  it("deletes nothing but a socket, whatever the record names", () => {
    const place = rendezvousOf("/a.json", "1.0.0");
    for (const name of ["file", "folder"]) {
      const record = recordFor(place.key, join(folder, name));
      writeRecord(place, record);
      if (name === "file") writeFileSync(record.socket, "");
      else mkdirSync(record.socket);
      removeRecord(place, record);
      expect([existsSync(record.socket), readRecord(place)]).toEqual([true, undefined]);
    }
  });

  it.each([
    ["0.1.0", "0.1.1", true],
    ["0.9.0", "0.10.0", true],
    ["1.0.0-beta.1", "1.0.0", false],
    ["1.0.0", "1.0.0", false],
    ["1.1.0", "1.0.9", false],
  ])("knows that %s is older than %s: %s", (version, than, expected) => {
    expect(isOlder(version, than)).toBe(expected);
  });

  it.each(["../x", "0123456789abcdef-", "0123456789abcdef-1/../2", "x"])(
    "accepts no other key: %s",
    (key) => {
      expect(() => placeOf(key)).toThrow("not the key");
    },
  );
});
