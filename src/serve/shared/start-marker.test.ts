import { readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

import { newFolder } from "../../../test/support/new-folder.ts";
import { claimStart } from "./start-marker.ts";

let folder: string;
let marker: string;
beforeEach(() => {
  folder = newFolder("marker");
  marker = join(folder, "x.starting");
  vi.stubEnv("XDG_STATE_HOME", folder);
  // A marker gets no older while the test looks at it.
  vi.useFakeTimers({ toFake: ["Date"] });
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true, force: true });
});

/** Whether the start can be claimed if the marker says this. */
function claims(text: string, ageMs: number): boolean {
  writeFileSync(marker, text, { mode: 0o600 });
  const written = (Date.now() - ageMs) / 1000;
  utimesSync(marker, written, written);
  return claimStart({ marker });
}

/** A process that runs, and is not this one. */
const RUNNING = String(process.ppid);

describe("the start of a shared process", () => {
  it("is claimed by one client at a time", () => {
    expect(claimStart({ marker })).toBe(true);
    expect(readFileSync(marker, "utf8")).toBe(String(process.pid));
    expect(claims(RUNNING, 0)).toBe(false);
  });

  it("is claimed by another if the first one has ended", () => {
    expect(claims("999999999", 0)).toBe(true);
  });

  it("is claimed by another if the first one is suspended, or its id was given to another process", () => {
    expect(claims(RUNNING, 15_000)).toBe(true);
    expect(readFileSync(marker, "utf8")).toBe(String(process.pid));
  });

  it("is claimed by another if the first one was killed before it wrote its id", () => {
    expect(claims("", 0)).toBe(false);
    expect(claims("", 15_000)).toBe(true);
  });
});
