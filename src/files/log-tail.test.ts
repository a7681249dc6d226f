import {
  appendFileSync,
  copyFileSync,
  renameSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
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

  it("follows a file that is copied and emptied, however much it has grown since", () => {
    writeFileSync(file, "one\n");
    const tail = new LogTail(file);
    tail.end();
    for (const added of ["two\n", "three\nfour\n"]) {
      appendFileSync(file, added);
      copyFileSync(file, `${file}.new`);
      renameSync(`${file}.new`, `${file}.1`);
      truncateSync(file, 0);
      appendFileSync(file, "and more than that\n");
      expect(tail.lines()).toEqual([...added.trim().split("\n"), "and more than that"]);
    }
    expect(tail.lines()).toEqual([]);
    // Emptied by the user: nothing comes twice.
    truncateSync(file, 0);
    appendFileSync(file, "five\n");
    expect(tail.lines()).toEqual(["five"]);
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
