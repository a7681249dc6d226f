import {
  closeSync,
  existsSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { newFolder } from "../../test/support/new-folder.ts";
import { MAX_CUT_LOG_BYTES, cutLog } from "./cut-log.ts";

let folder = "";
let file = "";
let descriptor = 0;
beforeEach(() => {
  folder = newFolder("cut-log");
  file = join(folder, "shared.log");
  descriptor = openSync(file, "a", 0o600);
});
afterEach(() => {
  closeSync(descriptor);
  rmSync(folder, { recursive: true });
});
const full = "x".repeat(MAX_CUT_LOG_BYTES);

describe("a log that is the standard error of a process", () => {
  it("is kept as it is up to the limit", () => {
    writeSync(descriptor, full);
    cutLog(file, descriptor);
    expect([statSync(file).size, existsSync(`${file}.1`)]).toEqual([full.length, false]);
  });

  it("begins again above it, and keeps what it had", () => {
    for (const last of ["first\n", "second\n"]) {
      writeSync(descriptor, `${full}${last}`);
      cutLog(file, descriptor);
      writeSync(descriptor, "after\n");
      expect(readFileSync(file, "utf8")).toBe("after\n");
      expect(readFileSync(`${file}.1`, "utf8").endsWith(last)).toBe(true);
    }
    expect(statSync(`${file}.1`).mode & 0o777).toBe(0o600);
    expect(existsSync(`${file}.1.new`)).toBe(false);
  });

  it("is limited if the file was replaced, which stays untouched", () => {
    renameSync(file, `${file}.moved`);
    writeFileSync(file, "another");
    writeSync(descriptor, `${full}.`);
    cutLog(file, descriptor);
    expect(statSync(`${file}.moved`).size).toBe(0);
    expect([readFileSync(file, "utf8"), existsSync(`${file}.1`)]).toEqual(["another", false]);
  });
});
