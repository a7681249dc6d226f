/** The credential store with a real keychain. In the full suite because it waits for one that hangs. */
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

import { perTest } from "../support/disposables.ts";
import { missingPrograms, runWithKeyring } from "../support/gnome-keyring.ts";
import { temporaryFolder } from "../support/workbench.ts";

const disposables = perTest();
const missing = missingPrograms("dbus-run-session", "gnome-keyring-daemon", "gdbus");

describe("the credential store with gnome-keyring", () => {
  it("encrypts with a key from the keychain, and copes with one that is locked or hangs", async (context) => {
    if (missing.length > 0) context.skip(`not installed: ${missing.join(", ")}`);
    const home = temporaryFolder(disposables);
    const scenario = fileURLToPath(new URL("keychain-scenario.ts", import.meta.url));
    const { code, stdout, stderr } = await runWithKeyring(
      disposables,
      [process.execPath, "--import", "tsx", scenario, join(home, "credentials")],
      { ...process.env, HOME: home, XDG_DATA_HOME: home },
    );
    expect(code, stderr).toBe(0);
    expect(JSON.parse(stdout)).toEqual({
      gone: { read: expect.stringContaining("is no longer in the keychain. Sign in again") },
      created: {
        readable: 4,
        plain: 0,
        protection: { kind: "keychain" },
        readInFileMode: "ok",
      },
      locked: {
        read: expect.stringContaining("it is encrypted, and the keychain cannot be used"),
        write: expect.stringContaining("Cannot use the keychain"),
        isPlain: true,
        protection: { kind: "file", reason: expect.any(String) },
      },
      stopped: {
        isPlain: true,
        protection: { kind: "file", reason: "no answer within 2 seconds" },
        isResponsive: true,
      },
    });
  });
});
