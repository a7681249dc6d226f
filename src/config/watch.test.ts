import { execFileSync } from "node:child_process";
import {
  mkdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { GENEROUS_MS } from "../../test/support/clients/json-rpc.ts";
import { perTest } from "../../test/support/disposables.ts";
import { temporaryFolder } from "../../test/support/workbench.ts";
import { symlinkEntriesOf, watchConfig } from "./watch.ts";

const PATIENCE = { timeout: GENEROUS_MS };
/** After this time even a folder that was missing has been looked for again. */
const MISSING_MS = 2000;
const cleanup = perTest();
let root: string;

beforeEach(() => {
  root = realpathSync(temporaryFolder(cleanup));
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
});
afterEach(() => void vi.useRealTimers());

/** Puts a file there as careful programs do. */
function replace(file: string, text: string): void {
  writeFileSync(`${file}.new`, text);
  renameSync(`${file}.new`, file);
}

/** Points a link somewhere else in one step. */
function relink(target: string, link: string): void {
  symlinkSync(target, `${link}.new`);
  renameSync(`${link}.new`, link);
}

/** Watches a file; returns a function for the content at the last notification. */
function watching(file: string): () => string | undefined {
  let content: string | undefined;
  cleanup.defer(
    watchConfig(file, "0", () => {
      try {
        content = readFileSync(file, "utf8");
      } catch {
        content = undefined;
      }
    }),
  );
  return () => {
    vi.advanceTimersByTime(MISSING_MS);
    return content;
  };
}

/** Watches a file; returns a function for the number of notifications. */
function counting(file: string): () => number {
  let notifications = 0;
  cleanup.defer(watchConfig(file, "0", () => void notifications++));
  return () => {
    vi.advanceTimersByTime(MISSING_MS);
    return notifications;
  };
}

describe("watchConfig", () => {
  it("reports a file that is written, replaced, removed and created again", async () => {
    const file = join(root, "c.json");
    writeFileSync(file, "0");
    const content = watching(file);
    writeFileSync(file, "1");
    await expect.poll(content, PATIENCE).toBe("1");
    replace(file, "2");
    await expect.poll(content, PATIENCE).toBe("2");
    rmSync(file);
    writeFileSync(file, "3");
    await expect.poll(content, PATIENCE).toBe("3");
  });

  it("reports a change that happened after the file was read", async () => {
    const file = join(root, "c.json");
    writeFileSync(file, "1");
    await expect.poll(watching(file), PATIENCE).toBe("1");
  });

  it("follows a symbolic link to its target, and to its next target", async () => {
    for (const folder of ["links", "one", "two"]) mkdirSync(join(root, folder));
    const [first, second] = [join(root, "one", "real.json"), join(root, "two", "other.json")];
    writeFileSync(first, "0");
    symlinkSync(first, join(root, "links", "c.json"));
    const content = watching(join(root, "links", "c.json"));
    writeFileSync(first, "1");
    await expect.poll(content, PATIENCE).toBe("1");
    replace(first, "2");
    await expect.poll(content, PATIENCE).toBe("2");
    writeFileSync(second, "3");
    relink(second, join(root, "links", "c.json"));
    await expect.poll(content, PATIENCE).toBe("3");
    replace(second, "4");
    await expect.poll(content, PATIENCE).toBe("4");
  });

  it("follows a folder that is swapped through a symbolic link, repeatedly", async () => {
    const version = (n: number): string => {
      mkdirSync(join(root, `..v${n}`));
      writeFileSync(join(root, `..v${n}`, "c.json"), String(n));
      return `..v${n}`;
    };
    symlinkSync(version(0), join(root, "..data"));
    symlinkSync(join("..data", "c.json"), join(root, "c.json"));
    const content = watching(join(root, "c.json"));
    for (const n of [1, 2, 3]) {
      relink(version(n), join(root, "..data"));
      rmSync(join(root, `..v${n - 1}`), { recursive: true });
      await expect.poll(content, PATIENCE).toBe(String(n));
    }
    replace(join(root, "..v3", "c.json"), "edited");
    await expect.poll(content, PATIENCE).toBe("edited");
  });

  it("finds a folder again that was removed or replaced", async () => {
    const folder = join(root, "config");
    const file = join(folder, "c.json");
    const fill = (text: string): void => {
      mkdirSync(folder);
      writeFileSync(file, text);
    };
    fill("0");
    const content = watching(file);
    rmSync(folder, { recursive: true });
    fill("1");
    await expect.poll(content, PATIENCE).toBe("1");
    renameSync(folder, `${folder}.old`);
    fill("2");
    await expect.poll(content, PATIENCE).toBe("2");
    writeFileSync(file, "3");
    await expect.poll(content, PATIENCE).toBe("3");
  });

  it("finds a folder again that was missing for a while", async () => {
    const folder = join(root, "config");
    const file = join(folder, "c.json");
    mkdirSync(folder);
    writeFileSync(file, "0");
    const notified = counting(file);
    rmSync(folder, { recursive: true });
    await expect.poll(notified, PATIENCE).toBe(1);
    mkdirSync(folder);
    writeFileSync(file, "1");
    await expect.poll(notified, PATIENCE).toBe(2);
    writeFileSync(file, "2");
    await expect.poll(notified, PATIENCE).toBe(3);
  });

  // There are no named pipes in the file system of Windows.
  it.skipIf(process.platform === "win32")(
    "is not blocked by a named pipe in place of the file",
    async () => {
      const file = join(root, "c.json");
      writeFileSync(file, "0");
      const notified = counting(file);
      rmSync(file);
      execFileSync("mkfifo", [file]);
      await expect.poll(notified, PATIENCE).toBe(1);
      rmSync(file);
      writeFileSync(file, "1");
      await expect.poll(notified, PATIENCE).toBe(2);
    },
  );
});

describe("symlinkEntriesOf", () => {
  const found = (path: string): Record<string, string[]> =>
    Object.fromEntries(
      Array.from(symlinkEntriesOf(path), ([folder, names]) => [
        folder.slice(root.length),
        [...names].sort(),
      ]),
    );

  it("returns only the file if there are no links, whether it exists or not", () => {
    expect(found(join(root, "a", "c.json"))).toEqual({ "/a": ["c.json"] });
  });

  it("returns every link of a chain, for files and folders", () => {
    for (const folder of ["a", "b", "real"]) mkdirSync(join(root, folder));
    symlinkSync(join("..", "b", "second"), join(root, "a", "first"));
    symlinkSync(join(root, "folder", ".", "c.json"), join(root, "b", "second"));
    symlinkSync("real", join(root, "folder"));
    expect(found(join(root, "a", "first"))).toEqual({
      "/a": ["first"],
      "/b": ["second"],
      "": ["folder"],
      "/real": ["c.json"],
    });
  });

  // On Windows a backslash separates folders.
  it.skipIf(process.platform === "win32")(
    "keeps backslashes in names where they are allowed",
    () => {
      const file = join(root, "a\\b", "config.json");
      expect(symlinkEntriesOf(file)).toEqual(
        new Map([[join(root, "a\\b"), new Set(["config.json"])]]),
      );
    },
  );

  it("terminates on links that form a cycle", () => {
    symlinkSync("b", join(root, "a"));
    symlinkSync("a", join(root, "b"));
    expect(found(join(root, "a"))).toEqual({ "": ["a", "b"] });
  });
});
