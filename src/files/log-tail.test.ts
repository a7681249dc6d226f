import { appendFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { newFolder } from "../../test/support/new-folder.ts";
import { LogTail } from "./log-tail.ts";

let folder = "";
let file = "";
beforeEach(() => {
  folder = newFolder("log-tail");
  file = join(folder, "workbench.log");
});
afterEach(() => rmSync(folder, { recursive: true }));

describe("the end of a log file", () => {
  it("is read, and then what is added, line by line", () => {
    writeFileSync(file, "one\ntwo\n");
    const tail = new LogTail(file);
    expect(tail.end()).toEqual(["one", "two"]);
    expect(tail.lines()).toEqual([]);
    appendFileSync(file, "three\nfo");
    expect(tail.lines()).toEqual(["three"]);
    appendFileSync(file, "ur\n");
    expect(tail.lines()).toEqual(["four"]);
  });

  it("includes the rotated file, and follows a rotation", () => {
    writeFileSync(`${file}.1`, "zero\n");
    writeFileSync(file, "one\n");
    const tail = new LogTail(file);
    expect(tail.end()).toEqual(["zero", "one"]);
    appendFileSync(file, "two\n");
    renameSync(file, `${file}.1`);
    writeFileSync(file, "three\n");
    expect(tail.lines()).toEqual(["two", "three"]);
    expect(tail.lines()).toEqual([]);
  });

  it("is empty without a file, and begins when there is one", () => {
    const tail = new LogTail(file);
    expect(tail.end()).toEqual([]);
    expect(tail.lines()).toEqual([]);
    writeFileSync(file, "one\n");
    expect(tail.lines()).toEqual(["one"]);
    expect(new LogTail(folder).end()).toEqual([]);
  });

  it("begins with a whole line if the file is large", () => {
    writeFileSync(file, `${"x".repeat(99)}\n`.repeat(20_000));
    const lines = new LogTail(file).end();
    expect(new Set(lines)).toEqual(new Set(["x".repeat(99)]));
  });
});
