import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { newFolder } from "../../test/support/new-folder.ts";
import { type KeyringRequest, runKeyring } from "./keyring-process.ts";

/** A library with the interface of the real one that keeps its entries in a file. */
const LIBRARY = `
const fs = require("node:fs");
const file = __dirname + "/entries.json";
const load = () => (fs.existsSync(file) ? JSON.parse(fs.readFileSync(file)) : {});
exports.Entry = class {
  constructor(service, account, options) {
    if (options.linux.store !== "secret-service") throw new Error("it would be lost");
    if (account === "hanging") Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
    if (account === "broken") throw new Error("first line\\nsecond line");
    if (account === "crash") process.kill(process.pid, "SIGKILL");
    this.key = service + "/" + account;
  }
  static withTarget(target, service, account) {
    const entry = new this(service, account, { linux: { store: "secret-service" } });
    entry.key = target;
    return entry;
  }
  getPassword() { return load()[this.key] ?? null; }
  setPassword(value) { fs.writeFileSync(file, JSON.stringify({ ...load(), [this.key]: value })); }
  deletePassword() {
    const entries = load();
    const found = this.key in entries;
    delete entries[this.key];
    fs.writeFileSync(file, JSON.stringify(entries));
    return found;
  }
};`;

let folder: string;
beforeAll(() => {
  folder = newFolder("keyring");
  writeFileSync(join(folder, "library.cjs"), LIBRARY);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function run(account: string, action: "get" | "delete" | { set: string }, timeoutMs = 60_000) {
  const entry = { service: "mcp-workbench", account };
  const request: KeyringRequest =
    typeof action === "string"
      ? { ...entry, action }
      : { ...entry, action: "set", value: action.set };
  const library = join(folder, "library.cjs");
  return runKeyring(request, { env: process.env, timeoutMs, library });
}

describe("the process that uses the keychain", () => {
  it("reads, writes and deletes entries", async () => {
    const value = 'text with "quotes"\nand ünicode';
    expect(await run("a", "get")).toBeUndefined();
    await run("a", { set: value });
    expect(await run("a", "get")).toBe(value);
    expect(await run("a", "delete")).toBe("");
    expect(await run("a", "delete")).toBeUndefined();
    expect(await run("a", "get")).toBeUndefined();
  });

  it("names an entry as it is asked to", async () => {
    const request = { service: "s", account: "t", target: "s:t" } as const;
    const library = join(folder, "library.cjs");
    const options = { env: process.env, timeoutMs: 60_000, library };
    await runKeyring({ ...request, action: "set", value: "named" }, options);
    expect(JSON.parse(readFileSync(join(folder, "entries.json"), "utf8"))).toEqual({
      "s:t": "named",
    });
    expect(await runKeyring({ ...request, action: "get" }, options)).toBe("named");
    await runKeyring({ ...request, action: "delete" }, options);
  });

  it("does not block this process while the keychain hangs, and is ended", async () => {
    let turns = 0;
    const timer = setInterval(() => turns++, 1);
    await expect(run("hanging", "get", 50)).rejects.toThrow("no answer within 0.05 seconds");
    clearInterval(timer);
    expect(turns).toBeGreaterThan(0);
  });

  it("reports failures in one line", async () => {
    await expect(run("broken", "get")).rejects.toThrow(/^first line$/);
    await expect(run("crash", "get")).rejects.toThrow("ended without an answer");
  });

  it("reports a library that cannot be loaded", async () => {
    const request = { service: "s", account: "a", action: "get" } as const;
    const library = join(folder, "missing.cjs");
    const options = { env: process.env, timeoutMs: 60_000, library };
    await expect(runKeyring(request, options)).rejects.toThrow("Cannot find module");
  });

  it("ignores variables that would change how it starts", async () => {
    const request = { service: "s", account: "a", action: "get" } as const;
    const env = { ...process.env, NODE_OPTIONS: `--require=${join(folder, "missing.cjs")}` };
    const library = join(folder, "library.cjs");
    expect(await runKeyring(request, { env, timeoutMs: 60_000, library })).toBeUndefined();
  });
});
