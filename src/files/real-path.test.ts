import { existsSync, mkdirSync, realpathSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";

import { perTest } from "../../test/support/disposables.ts";
import { temporaryFolder } from "../../test/support/workbench.ts";
import { isWithin, realPathOf } from "./real-path.ts";

const cleanup = perTest();
let root = "";
const at = (...path: string[]): string => join(root, ...path);

beforeEach(() => {
  root = realpathSync(temporaryFolder(cleanup));
  mkdirSync(at("project/inner"), { recursive: true });
  mkdirSync(at("project-2"));
  mkdirSync(at("outside"));
  writeFileSync(at("outside/file"), "");
});

describe("realPathOf", () => {
  it("follows links to what is there and to what is not", () => {
    symlinkSync("../outside", at("project/out"));
    symlinkSync("out/new/x", at("project/dangling"));
    expect(realPathOf(at("project/out/file"))).toBe(at("outside/file"));
    expect(realPathOf(at("project/out/a/b"))).toBe(at("outside/a/b"));
    expect(realPathOf(at("project/dangling"))).toBe(at("outside/new/x"));
  });

  it("takes .. in a link from where the link really leads, as the system does", () => {
    symlinkSync(at("outside"), at("project/inner/out"));
    symlinkSync("inner/out/../x", at("project/up"));
    expect(realPathOf(at("project/up"))).toBe(at("x"));
    expect(isWithin(at("project/up"), at("project"))).toBe(false);
    writeFileSync(at("project/up"), "");
    expect(existsSync(at("x"))).toBe(true);
  });

  it("gives up on a circle", () => {
    symlinkSync("b", at("a"));
    symlinkSync("a", at("b"));
    expect(() => realPathOf(at("a/x"))).toThrow("form a loop");
  });
});

describe("isWithin", () => {
  it.each([
    ["the folder itself", "project", true],
    ["what is in it", "project/inner", true],
    ["what is not there yet", "project/new/x", true],
    ["a name that begins alike", "project-2", false],
    ["its parent", ".", false],
    ["what only looks like its parent", "project/..x", true],
  ])("for %s", (_, path, expected) => {
    expect(isWithin(at(path), at("project"))).toBe(expected);
  });

  it("counts where links lead, of the file and of the folder", () => {
    symlinkSync(at("outside"), at("project/out"));
    symlinkSync(at("project"), at("link"));
    expect(isWithin(at("project/out/file"), at("project"))).toBe(false);
    expect(isWithin(at("project/inner"), at("link"))).toBe(true);
    expect(isWithin(at("link/inner"), at("project"))).toBe(true);
  });
});
