import {
  existsSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { GENEROUS_MS } from "../../test/support/clients/json-rpc.ts";
import { newFolder } from "../../test/support/new-folder.ts";
import { waitFor } from "../../test/support/proc.ts";
import { RotatingFile } from "./rotating-file.ts";

const LIMIT = 256 * 1024;
const line = (word: string): string => `${word.padEnd(9999, ".")}\n`;

let dir: string;
let path: string;
let lost: string[];

beforeEach(() => {
  dir = newFolder("mcp-workbench-rotating");
  path = join(dir, "log");
  lost = [];
});

// A file that was just closed may still be about to be created.
afterEach(() => rmSync(dir, { recursive: true, maxRetries: 10 }));

const rotating = (): RotatingFile => new RotatingFile(path, LIMIT, (reason) => lost.push(reason));
const read = (file: string): string => (existsSync(file) ? readFileSync(file, "utf8") : "");
const written = (file: string, text: string): Promise<unknown> =>
  waitFor(() => read(file).includes(text), GENEROUS_MS, `${text} in ${file}`);

/** Writes a line and waits until the disk has it. */
async function put(file: RotatingFile, word: string): Promise<void> {
  file.write(line(word));
  await waitFor(() => read(path).includes(word), GENEROUS_MS, word);
}

describe("RotatingFile", () => {
  it("rotates when it is full, and loses no line", async () => {
    const file = rotating();
    for (let i = 0; i < 30; i++) await put(file, `number ${i} `);
    const kept = read(`${path}.1`) + read(path);
    expect([...kept.matchAll(/number (\d+)/g)].map(([, n]) => Number(n))).toEqual(
      Array.from({ length: 30 }, (_, i) => i),
    );
    for (const name of [path, `${path}.1`]) expect(statSync(name).size).toBeLessThanOrEqual(LIMIT);
    expect(lost).toEqual([]);
    file.close();
  });

  it("keeps only the last lines of a file that was too large before", async () => {
    writeFileSync(path, line("old").repeat(300) + line("the last"));
    const file = rotating();
    await put(file, "first");
    await put(file, "second");
    await written(`${path}.1`, "first");
    const aside = read(`${path}.1`);
    expect(aside.length).toBeLessThanOrEqual(LIMIT);
    expect(aside.length).toBeGreaterThan(LIMIT - 100_000);
    expect(aside.startsWith(line("old"))).toBe(true);
    expect(aside.endsWith(line("the last") + line("first"))).toBe(true);
    expect(read(path)).toBe(line("second"));
    file.close();
  });

  it("can be shared: the second writer continues in the new file and does not rotate again", async () => {
    const [one, other] = [rotating(), rotating()];
    await put(one, "one");
    await put(other, "other");
    for (let i = 0; !existsSync(`${path}.1`) && i < 60; i++) await put(one, `number ${i} `);
    const aside = read(`${path}.1`);
    expect(aside.length).toBeGreaterThan(LIMIT / 2);
    for (let i = 0; i < 10; i++) other.write(line("of the other"));
    await written(path, "of the other");
    expect(read(`${path}.1`).length).toBeGreaterThanOrEqual(aside.length);
    expect(read(`${path}.1`)).toContain("number 0 ");
    one.close();
    other.close();
  });

  it("counts what other writers add", async () => {
    const [one, other] = [rotating(), rotating()];
    for (let i = 0; i < 20; i++) {
      await put(one, `one ${i} `);
      await put(other, `other ${i} `);
    }
    for (const name of [path, `${path}.1`]) expect(statSync(name).size).toBeLessThanOrEqual(LIMIT);
    one.close();
    other.close();
  });

  it("creates the file again if it was removed", async () => {
    const file = rotating();
    await put(file, "before");
    renameSync(path, join(dir, "elsewhere"));
    for (let i = 0; i < 5; i++) file.write(line("between"));
    await written(path, "between");
    expect(lost).toEqual([]);
    file.close();
  });

  it("never rotates what is not a regular file", async () => {
    const link = join(dir, "null");
    symlinkSync("/dev/null", link);
    const file = new RotatingFile(link, 100_000, (reason) => lost.push(reason));
    for (let i = 0; i < 50; i++) {
      file.write(line("nothing"));
      await new Promise(setImmediate);
    }
    expect(existsSync(`${link}.1`)).toBe(false);
    expect(lost).toEqual([]);
    file.close();
  });
});
