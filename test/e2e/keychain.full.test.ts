/**
 * A real keychain: GNOME Keyring in a D-Bus session of its own. In the full suite, because it needs
 * programs that most machines do not have, and one test waits for a time limit.
 */
import { rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { describe, expect, it } from "vitest";

import { openKeyring } from "../../src/secrets/keyring.ts";
import { cliPlace, ownConfig } from "../support/cli.ts";
import { perTest } from "../support/disposables.ts";
import { missingPrograms, runWithKeyring } from "../support/gnome-keyring.ts";
import { fixture, toolbox, withOptions } from "../support/servers.ts";
import { temporaryFolder } from "../support/workbench.ts";

const cleanup = perTest();
const PROGRAM = new URL("../../dist/bin.cjs", import.meta.url).pathname;

const missing = missingPrograms("dbus-run-session", "gnome-keyring-daemon", "secret-tool");
if (missing.length > 0)
  process.stderr.write(`keychain.full.test.ts is skipped: ${missing.join(", ")} not installed\n`);

describe.runIf(missing.length === 0)("GNOME Keyring", () => {
  it("stores secrets for servers, and still has those of earlier versions", async () => {
    const place = cliPlace(cleanup);
    const env = { NEW: "${keychain:NEW_TOKEN}", OLD: "${keychain:OLD_TOKEN}" };
    const servers = toolbox({ tools: withOptions(fixture("--dump-env"), { env }) });
    writeFileSync(ownConfig(place), JSON.stringify({ toolboxes: { dev: servers } }), {
      mode: 0o600,
    });
    const script = `
printf old-value-1 | secret-tool store --label=old service mcp-workbench account OLD_TOKEN
workbench() { "${process.execPath}" "${PROGRAM}" "$@"; }
printf new-value-1 | workbench secret set NEW_TOKEN --keychain 2> /dev/null
workbench call dev/tools/status
printf new-value-2 | workbench secret set OLD_TOKEN --keychain 2> /dev/null
echo "earlier: $(secret-tool lookup service mcp-workbench account OLD_TOKEN)."
workbench secret rm OLD_TOKEN --keychain 2> /dev/null
workbench call dev/tools/status 2>&1
true`;
    const { stdout } = await runWithKeyring(cleanup, ["sh", "-c", script], {
      ...process.env,
      ...place.env,
      PATH: process.env["PATH"],
    });
    expect(stdout).toContain('"NEW":"new-value-1"');
    expect(stdout).toContain('"OLD":"old-value-1"');
    expect(stdout).toContain("earlier: .");
    expect(stdout).toContain("OLD_TOKEN is not in the keychain");
  });
});

// Only on Linux does the keychain answer over D-Bus.
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
