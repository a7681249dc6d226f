import { mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { perTest } from "../../test/support/disposables.ts";
import { temporaryFolder } from "../../test/support/workbench.ts";
import { hashOf } from "./definition-hash.ts";
import { type LockFile, formatLock } from "./lock-file.ts";
import { readLock, storedDefinitions, updateLock } from "./lock-store.ts";

const cleanup = perTest();
let file: string;
let state: string;

beforeEach(() => {
  const folder = temporaryFolder(cleanup);
  file = join(folder, "workbench-lock.json");
  state = join(folder, "state");
  mkdirSync(state);
  vi.stubEnv("XDG_STATE_HOME", state);
});
afterEach(() => void vi.unstubAllEnvs());

const TEXT = '{"name":"a"}';
const approving = (names: readonly string[]): LockFile => {
  const entry = { hash: hashOf(TEXT), essential: hashOf(TEXT) };
  const tools = new Map(names.map((name) => [name, entry]));
  const items = { tools, prompts: new Map(), resourceTemplates: new Map() };
  return { servers: new Map([["dev/s", { items }]]) };
};
const withTool =
  (name: string) =>
  (lock: LockFile | undefined): LockFile =>
    approving([...(lock?.servers.get("dev/s")?.items.tools.keys() ?? []), name]);

describe("a stored lock file", () => {
  it("keeps the changes of all who change it at the same time", async () => {
    const names = Array.from({ length: 8 }, (_, i) => `t${i}`);
    await Promise.all(names.map((name) => updateLock(file, withTool(name), new Map())));
    const tools = (await readLock(file))?.servers.get("dev/s")?.items.tools;
    expect([...(tools?.keys() ?? [])].toSorted()).toEqual(names);
    expect(readdirSync(join(state, "mcp-workbench", "pins"))).toEqual([]);
  });

  it("is not written if nothing changes", async () => {
    expect(await updateLock(file, withTool("a"), new Map())).toBe(true);
    expect(await updateLock(file, () => approving(["a"]), new Map())).toBe(false);
  });

  it("is not replaced if it is damaged", async () => {
    writeFileSync(file, "{");
    await expect(updateLock(file, withTool("a"), new Map())).rejects.toMatchObject({
      code: "FILE_INVALID",
      hint: expect.stringContaining("Restore it from version control"),
    });
    expect(readFileSync(file, "utf8")).toBe("{");
  });

  it("has its definitions in the state folder, without those that it does not need", async () => {
    const other = '{"name":"b"}';
    const added = new Map([TEXT, other].map((text) => [hashOf(text), text]));
    await updateLock(file, withTool("a"), added);
    expect([...storedDefinitions(file).values()]).toEqual([TEXT]);
  });

  it("does without definitions that are damaged or were replaced", async () => {
    await updateLock(file, withTool("a"), new Map([[hashOf(TEXT), TEXT]]));
    const folder = join(state, "mcp-workbench", "pins");
    const [stored = ""] = readdirSync(folder);
    const path = join(folder, stored);
    const text = readFileSync(path, "utf8");
    for (const damaged of ["", "{", text.replace(String.raw`\"a\"`, String.raw`\"b\"`)]) {
      writeFileSync(path, damaged);
      expect(storedDefinitions(file).size).toBe(0);
    }
    expect(await readLock(file)).toEqual(approving(["a"]));
    expect(readFileSync(file, "utf8")).toBe(formatLock(approving(["a"])));
  });
});
