import { mkdirSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { newFolder } from "../../test/support/new-folder.ts";
import { isWorkbenchError } from "../errors.ts";
import { locateConfig as locate, type LocateOptions } from "./locate.ts";

let root: string;
let cwd: string;

beforeEach(() => {
  root = realpathSync(newFolder("workbench-locate"));
  cwd = join(root, "project");
  mkdirSync(cwd);
});
afterEach(() => {
  rmSync(root, { recursive: true });
});

function touch(...path: string[]): string {
  const file = join(root, ...path);
  mkdirSync(join(file, ".."), { recursive: true });
  writeFileSync(file, "{}");
  return file;
}

const locateConfig = (options: LocateOptions): string => locate(options).file;

function failure(options: LocateOptions): string {
  try {
    return `found ${locateConfig(options)}`;
  } catch (error) {
    return isWorkbenchError(error) ? `${error.code}: ${error.text}` : String(error);
  }
}

describe("locateConfig", () => {
  it("prefers --config, then the variable, then the current folder, then the user's folder", () => {
    const own = touch("home", ".config", "mcp-workbench", "workbench-config.json");
    const env = { HOME: join(root, "home") };
    expect(locateConfig({ env, cwd })).toBe(own);
    const local = touch("project", "workbench-config.json");
    expect(locateConfig({ env, cwd })).toBe(local);
    const named = touch("named.json");
    expect(locateConfig({ env: { ...env, WORKBENCH_CONFIG: named }, cwd })).toBe(named);
    const asked = touch("project", "asked.json");
    expect(
      locateConfig({ file: "asked.json", env: { ...env, WORKBENCH_CONFIG: named }, cwd }),
    ).toBe(asked);
  });

  it("uses XDG_CONFIG_HOME, and ignores it if it is relative", () => {
    const xdg = touch("xdg", "mcp-workbench", "workbench-config.json");
    expect(locateConfig({ env: { XDG_CONFIG_HOME: join(root, "xdg") }, cwd })).toBe(xdg);
    const env = { HOME: join(root, "home"), XDG_CONFIG_HOME: "../xdg" };
    expect(failure({ env, cwd })).toContain(join(root, "home", ".config", "mcp-workbench"));
  });

  it("uses APPDATA on Windows", () => {
    const file = touch("roaming", "mcp-workbench", "workbench-config.json");
    const env = { APPDATA: join(root, "roaming") };
    expect(locateConfig({ env, cwd, platform: "win32" })).toBe(file);
  });

  it("expands ~/ and treats an empty variable as not set", () => {
    const file = touch("home", "x.json");
    const env = { HOME: join(root, "home") };
    expect(locateConfig({ env: { ...env, WORKBENCH_CONFIG: "~/x.json" }, cwd })).toBe(file);
    expect(failure({ env: { ...env, WORKBENCH_CONFIG: "" }, cwd })).toMatch(/are not set/);
  });

  it("marks a file that the current folder chose, and not the user", () => {
    const own = touch("home", ".config", "mcp-workbench", "workbench-config.json");
    const env = { HOME: join(root, "home") };
    const here = touch("project", "workbench-config.json");
    const asked = { file: here, fromCurrentFolder: false };
    expect(locate({ env, cwd })).toEqual({ file: here, fromCurrentFolder: true });
    expect(locate({ env, cwd, file: "workbench-config.json" })).toEqual(asked);
    expect(locate({ env: { ...env, WORKBENCH_CONFIG: here }, cwd })).toEqual(asked);
    expect(
      locate({ env: { ...env, WORKBENCH_CONFIG: "~/../project/workbench-config.json" }, cwd }),
    ).toEqual(asked);
    expect(locate({ env, cwd: join(own, "..") })).toEqual({ file: own, fromCurrentFolder: false });
  });

  it("treats a relative $WORKBENCH_CONFIG as a file of the folder", () => {
    const here = touch("project", "sub", "x.json");
    const env = { HOME: join(root, "home"), WORKBENCH_CONFIG: "./sub/x.json" };
    expect(locate({ env, cwd })).toEqual({ file: here, fromCurrentFolder: true });
  });

  it("returns the real path of a file of the folder, against which relative paths are resolved", () => {
    const env = { HOME: join(root, "home") };
    const elsewhere = touch("elsewhere", "config.json");
    symlinkSync(elsewhere, join(cwd, "workbench-config.json"));
    expect(locate({ env, cwd })).toEqual({ file: elsewhere, fromCurrentFolder: true });
  });

  it("treats a link to the user's own file as that file", () => {
    const own = touch("home", ".config", "mcp-workbench", "workbench-config.json");
    symlinkSync(own, join(cwd, "workbench-config.json"));
    const env = { HOME: join(root, "home") };
    expect(locate({ env, cwd })).toEqual({ file: own, fromCurrentFolder: false });
  });

  it("names the option or variable of a missing file, and tries no other file", () => {
    touch("project", "workbench-config.json");
    expect(failure({ file: "nope.json", env: {}, cwd })).toBe(
      `CONFIG_NOT_FOUND: No configuration found: --config names ${join(cwd, "nope.json")}, which does not exist. ` +
        "Correct the path, or run 'mcp-workbench init' to create a configuration",
    );
    expect(failure({ env: { WORKBENCH_CONFIG: "/nope.json" }, cwd })).toContain(
      "$WORKBENCH_CONFIG names /nope.json, which does not exist",
    );
    expect(
      failure({ file: "nope.json", fileNamedBy: "the option 'file'", env: {}, cwd }),
    ).toContain("the option 'file' names");
  });

  it("says where it looked and what to do if there is no file", () => {
    const env = { HOME: join(root, "home") };
    expect(failure({ env, cwd })).toBe(
      "CONFIG_NOT_FOUND: No configuration found: --config and $WORKBENCH_CONFIG are not set, and neither " +
        `${join(cwd, "workbench-config.json")} nor ${join(root, "home", ".config", "mcp-workbench", "workbench-config.json")} exists. ` +
        "Run 'mcp-workbench init' to create one",
    );
  });
});
