/**
 * A real keychain: GNOME Keyring in a D-Bus session of its own. In the full suite, because it needs
 * programs that most machines do not have, and one test waits for a time limit.
 */
import { execFile } from "node:child_process";
import { accessSync, constants, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { delimiter, join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";

import { openKeyring } from "../../src/secrets/keyring.ts";
import { cliPlace, ownConfig } from "../support/cli.ts";
import { perTest } from "../support/disposables.ts";
import { fixture, toolbox, withOptions } from "../support/servers.ts";
import { temporaryFolder } from "../support/workbench.ts";

const cleanup = perTest();
const run = promisify(execFile);
const PROGRAM = new URL("../../dist/bin.cjs", import.meta.url).pathname;

const missing = ["dbus-run-session", "gnome-keyring-daemon", "secret-tool"].filter(
  (name) => !(process.env["PATH"] ?? "").split(delimiter).some((folder) => isThere(folder, name)),
);
if (missing.length > 0)
  process.stderr.write(`keychain.full.test.ts is skipped: ${missing.join(", ")} not installed\n`);

function isThere(folder: string, name: string): boolean {
  try {
    accessSync(join(folder, name), constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

describe.runIf(missing.length === 0)("GNOME Keyring", () => {
  it("stores secrets for servers, and still has those of earlier versions", async () => {
    const place = cliPlace(cleanup);
    const env = { NEW: "${keychain:NEW_TOKEN}", OLD: "${keychain:OLD_TOKEN}" };
    const servers = toolbox({ tools: withOptions(fixture("--dump-env"), { env }) });
    writeFileSync(ownConfig(place), JSON.stringify({ toolboxes: { dev: servers } }), {
      mode: 0o600,
    });
    const script = `
printf 'pw\\n' | gnome-keyring-daemon --unlock --components=secrets > /dev/null 2>&1
printf old-value-1 | secret-tool store --label=old service mcp-workbench account OLD_TOKEN
workbench() { "${process.execPath}" "${PROGRAM}" "$@"; }
printf new-value-1 | workbench secret set NEW_TOKEN --keychain 2> /dev/null
workbench call dev/tools/status
printf new-value-2 | workbench secret set OLD_TOKEN --keychain 2> /dev/null
echo "earlier: $(secret-tool lookup service mcp-workbench account OLD_TOKEN)."
workbench secret rm OLD_TOKEN --keychain 2> /dev/null
workbench call dev/tools/status 2>&1
true`;
    const { stdout } = await run("dbus-run-session", ["--", "sh", "-c", script], {
      env: {
        ...process.env,
        ...place.env,
        PATH: process.env["PATH"],
        XDG_RUNTIME_DIR: temporaryFolder(cleanup),
      },
    });
    expect(stdout).toContain('"NEW":"new-value-1"');
    expect(stdout).toContain('"OLD":"old-value-1"');
    expect(stdout).toContain("earlier: .");
    expect(stdout).toContain("OLD_TOKEN is not in the keychain");
  });
});

describe.runIf(process.platform === "linux")("a keychain that does not answer", () => {
  it("fails within its time limit and does not block the process", async () => {
    const socket = join(temporaryFolder(cleanup), "bus");
    const bus = createServer(() => {}).listen(socket);
    try {
      const env = { ...process.env, DBUS_SESSION_BUS_ADDRESS: `unix:path=${socket}` };
      const keyring = await openKeyring({ env, timeoutMs: 1000 });
      await expect(keyring.get("X")).rejects.toThrow("no answer within 1 seconds");
    } finally {
      bus.close();
      rmSync(socket, { force: true });
    }
  });
});
