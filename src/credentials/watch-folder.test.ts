import { mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";

import { credentialFolder } from "../../test/support/credentials.ts";
import { perTest } from "../../test/support/disposables.ts";
import { watchRecords, type WatchTiming } from "./watch-folder.ts";

const disposables = perTest();
const BY_EVENTS: WatchTiming = { pollMs: 600_000, settleMs: 1 };
const BY_POLL: WatchTiming = { pollMs: 5, settleMs: 600_000 };
const NAME = `${"a".repeat(64)}.json`;

/** Watches a folder; `next` resolves at the next change. */
function watching(folder: string, timing: WatchTiming) {
  let calls = 0;
  let notify: (() => void) | undefined;
  const stop = watchRecords(
    folder,
    () => {
      calls++;
      notify?.();
    },
    timing,
  );
  disposables.defer(stop);
  return {
    stop,
    calls: () => calls,
    async after(change: () => void): Promise<void> {
      const changed = new Promise<void>((resolve) => {
        notify = resolve;
      });
      change();
      await changed;
    },
  };
}

describe.each([
  ["events", BY_EVENTS],
  ["a poll", BY_POLL],
])("watching the records by %s", (_, timing) => {
  it("notices records that are added, replaced and removed", async () => {
    const folder = credentialFolder(disposables);
    mkdirSync(folder, { recursive: true });
    const file = join(folder, NAME);
    const { after, calls } = watching(folder, timing);
    await after(() => writeFileSync(file, "1"));
    await after(() => {
      writeFileSync(`${file}.tmp`, "2");
      renameSync(`${file}.tmp`, file);
    });
    await after(() => rmSync(file));
    expect(calls()).toBeGreaterThanOrEqual(3);
  });

  it("ignores locks and temporary files", async () => {
    const folder = credentialFolder(disposables);
    mkdirSync(folder, { recursive: true });
    const { after, calls } = watching(folder, timing);
    writeFileSync(join(folder, `${"a".repeat(64)}.lock`), "");
    writeFileSync(join(folder, `.${NAME}.1.workbench-tmp`), "");
    await after(() => writeFileSync(join(folder, NAME), ""));
    expect(calls()).toBe(1);
  });
});

describe("watching the records", () => {
  it("waits for a folder that does not exist, and follows one that is replaced", async () => {
    const folder = credentialFolder(disposables);
    const { after, calls } = watching(folder, { pollMs: 5, settleMs: 1 });
    await after(() => {
      mkdirSync(folder, { recursive: true });
      writeFileSync(join(folder, NAME), "1");
    });
    await after(() => rmSync(folder, { recursive: true }));
    await after(() => {
      mkdirSync(folder);
      writeFileSync(join(folder, NAME), "2");
    });
    expect(calls()).toBeGreaterThanOrEqual(3);
  });

  it("ends when it is stopped", async () => {
    const folder = credentialFolder(disposables);
    mkdirSync(folder, { recursive: true });
    const stopped = watching(folder, { pollMs: 1, settleMs: 1 });
    const other = watching(folder, { pollMs: 1, settleMs: 1 });
    stopped.stop();
    await other.after(() => writeFileSync(join(folder, NAME), "1"));
    expect(stopped.calls()).toBe(0);
  });
});
