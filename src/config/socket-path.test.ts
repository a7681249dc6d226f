import { rmSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

import { newFolder } from "../../test/support/new-folder.ts";
import { socketPath } from "./socket-path.ts";

let temporary: string;
beforeEach(() => {
  temporary = newFolder("socket");
  vi.stubEnv("TMPDIR", temporary);
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(temporary, { recursive: true, force: true });
});

// On Windows the socket is a named pipe, which is not in a folder.
describe.skipIf(process.platform === "win32")("the path of a socket", () => {
  it("is in the folder it is meant for", () => {
    expect(socketPath("/run/x", "a")).toBe(join("/run/x", "a.sock"));
  });

  it.each([
    ["characters", "s".repeat(100)],
    ["bytes", "ü".repeat(50)],
  ])("is in the folder for temporary files if it has too many %s", (_, name) => {
    expect(socketPath(`/${name}`, "a").startsWith(temporary)).toBe(true);
  });

  it("is refused if it is too long there, too", () => {
    vi.stubEnv("TMPDIR", join(temporary, "t".repeat(100)));
    expect(() => socketPath(`/${"s".repeat(100)}`, "a")).toThrow("too long for a socket");
  });
});
