import { execFileSync } from "node:child_process";
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { newFolder } from "../../test/support/new-folder.ts";
import { exposureOf, readSecretFile } from "./secret-file.ts";

let folder = "";
beforeEach(() => {
  folder = newFolder("workbench-secret-file");
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const write = (name: string, content: string | Buffer): string => {
  const path = join(folder, name);
  writeFileSync(path, content, { mode: 0o600 });
  return path;
};

describe("readSecretFile", () => {
  it("removes one line break at the end, and reads at most 64 KB of text", () => {
    expect(readSecretFile(write("a", "one\ntwo\r\n"))?.value).toBe("one\ntwo");
    expect(readSecretFile(write("b", "x\n\n"))?.value).toBe("x\n");
    expect(readSecretFile(write("c", "x".repeat(65_536)))?.value).toHaveLength(65_536);
    expect(() => readSecretFile(write("d", "x".repeat(65_537)))).toThrow("larger than 64 KB");
    expect(() => readSecretFile(write("e", Buffer.from([0xff, 0xfe])))).toThrow(
      "not text in UTF-8",
    );
  });

  it("returns undefined for a file that does not exist", () => {
    expect(readSecretFile(join(folder, "none"))).toBeUndefined();
    expect(readSecretFile(join(write("a", "x"), "none"))).toBeUndefined();
  });

  // Windows has neither `mkfifo` nor `/dev/zero`.
  it.runIf(process.platform !== "win32")("refuses anything but regular files at once", () => {
    execFileSync("mkfifo", [join(folder, "pipe")]);
    for (const path of [folder, join(folder, "pipe"), "/dev/zero"])
      expect(() => readSecretFile(path)).toThrow("not a regular file");
  });

  // Links need special rights on Windows.
  it.runIf(process.platform !== "win32")("keeps to a folder, whatever links say", () => {
    const outside = write("outside", "secret");
    const inside = join(folder, "inside");
    mkdirSync(inside);
    symlinkSync(outside, join(inside, "link"));
    symlinkSync(folder, join(inside, "up"));
    writeFileSync(join(inside, "own"), "x");
    expect(readSecretFile(join(inside, "own"), inside)?.value).toBe("x");
    expect(readSecretFile(join(inside, "link"))?.value).toBe("secret");
    for (const path of ["link", "up/outside", "../outside"])
      expect(() => readSecretFile(`${inside}/${path}`, inside)).toThrow("outside of the folder");
  });
});

// Windows has no permission bits.
describe.runIf(process.getuid !== undefined)("exposureOf", () => {
  const own = process.getuid?.() || 1000;
  // Files of root cause no warning, so it cannot be seen as root.
  it.runIf(own === process.getuid?.())("warns of a file that others can read", () => {
    expect(exposureOf("/f", { uid: own, mode: 0o100600 })).toBeUndefined();
    expect(exposureOf("/f", { uid: own, mode: 0o100400 })).toBeUndefined();
    expect(exposureOf("/f", { uid: own, mode: 0o100644 })).toContain("chmod 600 /f");
  });
  it("accepts a file of root, and warns of one of another user", () => {
    expect(exposureOf("/run/secrets/x", { uid: 0, mode: 0o100444 })).toBeUndefined();
    expect(exposureOf("/f", { uid: own + 1, mode: 0o100600 })).toContain("another user");
  });
});
