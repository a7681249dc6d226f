/** The credential store with a real keychain. In the full suite because it waits for one that hangs. */
import { spawn, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

import { perTest } from "../support/disposables.ts";

const disposables = perTest();
const PROGRAMS = ["dbus-run-session", "gnome-keyring-daemon", "gdbus"];
const missing = PROGRAMS.filter((name) => spawnSync(name, ["--help"]).error !== undefined);

/** Unlocks a new keychain and runs the scenario with it, in a D-Bus session of its own. */
const SESSION = `
  printf 'password\\n' | gnome-keyring-daemon --unlock --foreground --components=secrets >/dev/null 2>&1 &
  daemon=$!
  gdbus wait --session --timeout 60 org.freedesktop.secrets || exit 1
  "$1" --import tsx "$2" "$3" "$daemon"
  code=$?
  kill -9 "$daemon"
  wait
  exit $code`;

describe("the credential store with gnome-keyring", () => {
  it("encrypts with a key from the keychain, and copes with one that is locked or hangs", async (context) => {
    if (missing.length > 0) context.skip(`not installed: ${missing.join(", ")}`);
    const home = mkdtempSync(join(tmpdir(), "keychain-"));
    disposables.defer(() => rmSync(home, { recursive: true, force: true }));
    const scenario = fileURLToPath(new URL("keychain-scenario.ts", import.meta.url));
    const args = ["sh", "-c", SESSION, "sh", process.execPath, scenario, join(home, "credentials")];
    const {
      DISPLAY: _,
      WAYLAND_DISPLAY: __,
      DBUS_SESSION_BUS_ADDRESS: ___,
      ...inherited
    } = process.env;
    const child = spawn("dbus-run-session", ["--", ...args], {
      cwd: fileURLToPath(new URL("../..", import.meta.url)),
      env: { ...inherited, HOME: home, XDG_DATA_HOME: home, XDG_RUNTIME_DIR: home },
      stdio: ["ignore", "pipe", "pipe"],
    });
    let output = "";
    let errors = "";
    child.stdout.on("data", (text) => (output += String(text)));
    child.stderr.on("data", (text) => (errors += String(text)));
    const code = await new Promise((resolve) => child.on("close", resolve));
    expect(code, errors).toBe(0);
    expect(JSON.parse(output.slice(output.indexOf("{")))).toEqual({
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
