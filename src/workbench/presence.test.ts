import { mkdirSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

import { newFolder } from "../../test/support/new-folder.ts";
import { presenceFolder, publishPresence } from "./presence.ts";
import type { WorkbenchStatus } from "./status.ts";
import type { Workbench } from "./workbench.ts";

let folder: string;
beforeEach(() => {
  folder = newFolder("presence");
  vi.stubEnv("XDG_STATE_HOME", folder);
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true, force: true });
});

describe("a workbench that makes itself visible", () => {
  // Only Linux has this file.
  it.skipIf(process.platform !== "linux")("serves all the same on a full disk", async () => {
    mkdirSync(presenceFolder(), { recursive: true });
    symlinkSync("/dev/full", join(presenceFolder(), `${process.pid}.json`));
    let leave = (): void => {};
    const warning = await new Promise((warn) => {
      const workbench = { startedAt: 0, settings: {}, host: { log: { warn } } };
      leave = publishPresence(workbench as unknown as Workbench, () => ({}) as WorkbenchStatus);
    });
    leave();
    expect(warning).toContain("status is not available: ENOSPC");
  });
});
