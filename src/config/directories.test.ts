import { chmodSync, mkdirSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { userInfo } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { newFolder } from "../../test/support/new-folder.ts";
import {
  cacheDir,
  ensureOwnDir,
  ensurePrivateDir,
  expandHome,
  homeDir,
  stateDir,
} from "./directories.ts";

describe("stateDir and cacheDir", () => {
  it.each([
    [{ HOME: "/home/u" }, "/home/u/.local/state/mcp-workbench", "/home/u/.cache/mcp-workbench"],
    [{ XDG_STATE_HOME: "/s", XDG_CACHE_HOME: "/c" }, "/s/mcp-workbench", "/c/mcp-workbench"],
    [
      { HOME: "/home/u", XDG_STATE_HOME: "s", XDG_CACHE_HOME: "" },
      "/home/u/.local/state/mcp-workbench",
      "/home/u/.cache/mcp-workbench",
    ],
  ])("are, with %j, %s and %s", (env, state, cache) => {
    expect(stateDir({ env, platform: "linux" })).toBe(state);
    expect(cacheDir({ env, platform: "linux" })).toBe(cache);
  });

  it("are different on Windows, where both are in LOCALAPPDATA", () => {
    const machine = { env: { LOCALAPPDATA: "/local" }, platform: "win32" as const };
    expect(stateDir(machine)).toBe("/local/mcp-workbench");
    expect(cacheDir(machine)).toBe("/local/mcp-workbench/cache");
  });
});

describe("homeDir", () => {
  afterEach(() => vi.unstubAllEnvs());

  it.each(["", ".", "./home", "../x", "home"])("is never the current folder: HOME=%j", (HOME) => {
    vi.stubEnv("HOME", HOME);
    expect(homeDir({ env: { HOME }, platform: "linux" })).toBe(userInfo().homedir);
  });

  it("is what the environment says if that is absolute", () => {
    expect(homeDir({ env: { HOME: "/h" }, platform: "linux" })).toBe("/h");
    const env = { HOME: "/h", USERPROFILE: String.raw`C:\Users\u` };
    expect(homeDir({ env, platform: "win32" })).toBe(String.raw`C:\Users\u`);
  });
});

describe("expandHome", () => {
  it.each([
    ["~", "/h"],
    ["~/a", "/h/a"],
    ["~other/a", "~other/a"],
    ["/a/~/b", "/a/~/b"],
  ])("turns %s into %s", (path, expected) => {
    expect(expandHome(path, "/h")).toBe(expected);
  });
});

describe.skipIf(process.platform === "win32")("ensurePrivateDir (not on Windows)", () => {
  let root: string;
  beforeEach(() => {
    root = newFolder("workbench-dirs");
  });
  afterEach(() => {
    rmSync(root, { recursive: true });
  });
  const modeOf = (path: string): number => statSync(path).mode & 0o777;

  it("creates the folder and its parents for the owner only", () => {
    const dir = join(root, "a", "b");
    ensurePrivateDir(dir);
    ensurePrivateDir(dir);
    expect(modeOf(dir)).toBe(0o700);
    expect(modeOf(join(root, "a"))).toBe(0o700);
  });

  it("restricts a folder that was open to others", () => {
    const dir = join(root, "open");
    mkdirSync(dir);
    chmodSync(dir, 0o755);
    ensurePrivateDir(dir);
    expect(modeOf(dir)).toBe(0o700);
  });

  describe("ensureOwnDir", () => {
    it("creates it for the owner only, and restricts one that was open to others", () => {
      const dir = join(root, "own");
      ensureOwnDir(dir);
      expect(modeOf(dir)).toBe(0o700);
      chmodSync(dir, 0o777);
      ensureOwnDir(dir);
      expect(modeOf(dir)).toBe(0o700);
    });

    it("rejects what another user may have prepared", () => {
      const dir = join(root, "own");
      mkdirSync(dir);
      symlinkSync(dir, join(root, "link"));
      expect(() => ensureOwnDir(join(root, "link"))).toThrow("it is a symbolic link");
      vi.spyOn(process, "getuid").mockReturnValue(4_000_000);
      expect(() => ensureOwnDir(dir)).toThrow("it belongs to another user");
      vi.restoreAllMocks();
      expect(() => ensureOwnDir(join(root, "no", "parent"))).toThrow(/^Cannot use the folder/);
    });
  });

  it("reports the folder that cannot be used", () => {
    writeFileSync(join(root, "file"), "");
    expect(() => ensurePrivateDir(join(root, "file", "x"))).toThrow(
      /^Cannot use the folder .*file/,
    );
  });
});
