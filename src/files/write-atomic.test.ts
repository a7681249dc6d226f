import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  chmod,
  lstat,
  mkdir,
  readdir,
  readFile,
  rm,
  stat,
  symlink,
  writeFile,
} from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { newFolder } from "../../test/support/new-folder.ts";
import { backUp, createFolders, uniqueNameFor, writeFileAtomic } from "./write-atomic.ts";

let folder: string;
let file: string;

beforeEach(async () => {
  folder = newFolder("workbench-atomic");
  file = join(folder, "config.json");
});
afterEach(async () => {
  await rm(folder, { recursive: true, force: true });
});

describe("writeFileAtomic", () => {
  it("creates a file that only its owner can read, and leaves nothing else behind", async () => {
    await writeFileAtomic(file, "new");
    expect(await readFile(file, "utf8")).toBe("new");
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect(await readdir(folder)).toEqual(["config.json"]);
  });

  it("keeps the permissions of the file it replaces", async () => {
    await writeFile(file, "old");
    await chmod(file, 0o644);
    await writeFileAtomic(file, "new");
    expect((await stat(file)).mode & 0o777).toBe(0o644);
  });

  it("follows symbolic links, even to a file that does not exist yet", async () => {
    await mkdir(join(folder, "dotfiles"));
    await symlink(join("dotfiles", "real.json"), file);
    await writeFileAtomic(file, "one");
    await writeFileAtomic(file, "two");
    expect((await lstat(file)).isSymbolicLink()).toBe(true);
    expect(await readFile(join(folder, "dotfiles", "real.json"), "utf8")).toBe("two");
  });

  it("rejects symbolic links that form a cycle", async () => {
    await symlink("config.json", file);
    await expect(writeFileAtomic(file, "new")).rejects.toThrow("form a loop");
  });

  it("rejects a read-only file", async () => {
    await writeFile(file, "old");
    await chmod(file, 0o444);
    await expect(writeFileAtomic(file, "new")).rejects.toThrow(
      `Cannot write ${file}: it is read-only`,
    );
    expect(await readFile(file, "utf8")).toBe("old");
  });

  it("rejects a folder that does not exist", async () => {
    await expect(writeFileAtomic(join(folder, "no", "x"), "new")).rejects.toMatchObject({
      code: "FILE_NOT_WRITABLE",
    });
  });

  it("does not overwrite what another program wrote in the meantime", async () => {
    await writeFile(file, "theirs");
    const write = writeFileAtomic(file, "ours", { expect: { text: "old" } });
    await expect(write).rejects.toMatchObject({ code: "FILE_CHANGED" });
    await expect(
      writeFileAtomic(file, "ours", { expect: { text: undefined } }),
    ).rejects.toMatchObject({ code: "FILE_CHANGED" });
    expect(await readFile(file, "utf8")).toBe("theirs");
    expect(await readdir(folder)).toEqual(["config.json"]);
  });

  it("removes temporary files of processes that no longer run", async () => {
    await writeFile(join(folder, ".config.json.999999999.abcd.workbench-tmp"), "half");
    await writeFile(join(folder, `.config.json.${process.pid}.abcd.workbench-tmp`), "busy");
    await writeFileAtomic(file, "new");
    expect(await readdir(folder)).toEqual([
      `.config.json.${process.pid}.abcd.workbench-tmp`,
      "config.json",
    ]);
  });

  it("leaves either the old or the new content if it is killed at any moment", async () => {
    const old = "a".repeat(300_000);
    const young = "b".repeat(200_000);
    await writeFile(file, old);
    const outfile = join(folder, "built", "atomic.mjs");
    const source = fileURLToPath(new URL("write-atomic.ts", import.meta.url));
    await build({ entryPoints: [source], outfile, bundle: true, platform: "node", format: "esm" });
    const script = `
      const { writeFileAtomic } = await import(${JSON.stringify(outfile)});
      for (let i = 0; i < 100000; i += 1) {
        await writeFileAtomic(process.argv[1], (i % 2 ? "a" : "b").repeat(i % 2 ? 300000 : 200000));
        process.stdout.write(".");
      }`;
    for (let round = 0; round < 5; round += 1) {
      const before = (await stat(file)).mtimeMs;
      const args = ["--input-type=module", "--eval", script, file];
      const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
      const exited = once(child, "exit");
      // Each output is a file written; what the program does when it is killed is left to chance.
      let outputs = 0;
      for await (const _ of child.stdout) if (++outputs > round * 5) child.kill("SIGKILL");
      expect(await exited).toEqual([null, "SIGKILL"]);
      expect([old, young]).toContain(await readFile(file, "utf8"));
      expect((await stat(file)).mtimeMs).toBeGreaterThan(before);
    }
    await writeFileAtomic(file, "done");
    expect(await readdir(folder)).toEqual(["built", "config.json"]);
  });
});

describe("backUp", () => {
  it("makes private copies and keeps the last ten", async () => {
    const backups = join(folder, "state", "backups");
    const copies: string[] = [];
    for (let i = 0; i < 12; i += 1) {
      await writeFile(file, `version ${i}`);
      copies.push(await backUp(file, backups, new Date(Date.UTC(2026, 0, 1, 0, 0, i))));
    }
    expect(await readdir(backups)).toHaveLength(10);
    const last = copies.at(-1) ?? "";
    expect(await readFile(last, "utf8")).toBe("version 11");
    expect((await stat(last)).mode & 0o777).toBe(0o600);
    expect((await stat(backups)).mode & 0o777).toBe(0o700);
  });
});

it("createFolders returns the folders it created, innermost first, or fails", async () => {
  const inner = join(folder, "a", "b");
  expect(await createFolders(inner)).toEqual([inner, join(folder, "a")]);
  expect(await createFolders(inner)).toEqual([]);
  await writeFile(join(folder, "file"), "");
  for (const place of [
    join(folder, "file/a/b"),
    ...(process.platform === "linux" ? ["/proc/a/b"] : []),
  ])
    await expect(createFolders(place)).rejects.toMatchObject({ code: "FILE_NOT_WRITABLE" });
});

it("uniqueNameFor gives different paths different names", () => {
  expect(uniqueNameFor("/x/mcp.json")).toMatch(/^mcp\.json-[0-9a-f]{16}$/);
  expect(uniqueNameFor("/x/mcp.json")).not.toBe(uniqueNameFor("/y/mcp.json"));
});
