/**
 * `mcp-workbench token`: what users see, and what running workbenches accept. In the full suite
 * because each case starts the program; access-tokens.test.ts is in `npm test`.
 */
import { chmodSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { perTest } from "../support/disposables.ts";
import { type CliPlace, cliPlace, type CliRun, ownConfig, runCli } from "../support/cli.ts";
import { HttpClient } from "../support/http-client.ts";
import { startHttpWorkbench } from "../support/http-workbench.ts";
import { dev, fixture } from "../support/servers.ts";

const cleanup = perTest();
const TOKEN = /^mwb_[0-9a-z]{8}_[A-Za-z0-9_-]{43}$/;

const stored = ({ home }: CliPlace): string => join(home, ".local/state/mcp-workbench/tokens.json");

function place(): CliPlace {
  const at = cliPlace(cleanup);
  writeFileSync(ownConfig(at), JSON.stringify(dev({ fx: fixture(), github: fixture() })));
  return at;
}

const documentOf = ({ stdout }: CliRun): Record<string, unknown> =>
  JSON.parse(stdout) as Record<string, unknown>;

describe("mcp-workbench token", () => {
  it("shows a token once, alone on standard output, and stores its hash", async () => {
    const at = place();
    const created = await runCli(at, [
      "token",
      "create",
      "ci",
      "--toolbox",
      "dev",
      "--expires",
      "30d",
    ]);
    expect(created.stderr).toMatch(/Created the token 'ci': dev; expires \d{4}-/);
    expect(created.stderr).not.toContain("mwb_");
    expect(created.code).toBe(0);
    const token = created.stdout.trim();
    expect(token).toMatch(TOKEN);
    expect(readFileSync(stored(at), "utf8")).not.toContain(token.slice(-43));
    expect(statSync(stored(at)).mode & 0o777).toBe(0o600);

    const json = documentOf(
      await runCli(at, ["token", "create", "alice", "--server", "dev/fx", "--read-only", "--json"]),
    );
    expect(json).toMatchObject({
      name: "alice",
      toolboxes: [],
      servers: ["dev/fx"],
      readOnly: true,
      expiresAt: null,
      lastUsedAt: null,
      expired: false,
    });
    expect(json["token"]).toMatch(TOKEN);

    const listed = await runCli(at, ["token", "list"]);
    expect(listed.stdout).toMatch(/^ci +expires \S+ \S+ UTC +never used +dev\n/);
    expect(listed.stdout).toMatch(/\nalice +does not expire +never used +dev\/fx, read-only\n$/);
    const { tokens } = documentOf(await runCli(at, ["token", "list", "--json"]));
    expect(tokens).toMatchObject([{ name: "ci", toolboxes: ["dev"] }, { name: "alice" }]);
    expect(JSON.stringify(tokens)).not.toMatch(/sha256|mwb_/);

    const rotated = await runCli(at, ["token", "rotate", "ci"]);
    expect(rotated.stdout.trim()).toMatch(TOKEN);
    expect(rotated.stdout.trim()).not.toBe(token);
    const revoked = await runCli(at, ["token", "revoke", "ci"]);
    expect([revoked.code, revoked.stdout]).toEqual([0, ""]);
    const complete = await runCli(at, ["__complete", "token", "revoke", ""]);
    expect(complete.stdout).toBe("alice\t\n");
  });

  it.each([
    [["create", "ci", "--toolbox", "dve"], "There is no toolbox 'dve'", "Did you mean 'dev'?"],
    [["create", "ci", "--server", "dev/githab"], "no server 'dev/githab'", "'dev/github'?"],
    [["create", "a b"], "'a b' is not a valid name for a token", "such as ci"],
    [["create"], "Name the token to create", "Usage:"],
    [["rotate", "ci", "--toolbox", "dev"], "--toolbox does not work with 'rotate'", "revoke it"],
  ])("refuses %j", async (args, reason, hint) => {
    const at = place();
    const { code, stderr, stdout } = await runCli(at, ["token", ...args]);
    expect([code, stdout]).toEqual([2, ""]);
    expect(stderr).toContain(reason);
    expect(stderr).toContain(hint);
  });

  it("accepts any names where there is no configuration yet", async () => {
    const at = cliPlace(cleanup);
    const { code, stdout, stderr } = await runCli(at, [
      "token",
      "create",
      "ci",
      "--toolbox",
      "dev",
    ]);
    expect(code).toBe(0);
    expect(stdout.trim()).toMatch(TOKEN);
    expect(stderr).toContain("were not checked");
  });

  it("is checked by doctor: expired tokens, unknown names, permissions, damage", async () => {
    const at = place();
    await runCli(at, ["token", "create", "old", "--server", "dev/fx", "--expires", "1m"]);
    const file = stored(at);
    const text = readFileSync(file, "utf8")
      .replace(/"expiresAt": "[^"]+"/, '"expiresAt": "2026-01-01T00:00:00.000Z"')
      .replace("dev/fx", "dev/gone");
    writeFileSync(file, text);
    chmodSync(file, 0o644);
    const run = await runCli(at, ["doctor", "--no-connect", "--json"]);
    const { checks } = documentOf(run) as { checks: { area: string; message: string }[] };
    const messages = checks.filter(({ area }) => area === "tokens").map(({ message }) => message);
    expect(messages).toEqual([
      "1 token",
      "it expired at 2026-01-01T00:00:00.000Z",
      "the configuration does not have dev/gone",
    ]);
    expect(checks).toContainEqual(
      expect.objectContaining({ area: "files", subject: file, status: "warning" }),
    );
    writeFileSync(file, "{");
    const damaged = await runCli(at, ["doctor", "--no-connect"]);
    expect(damaged.stdout).toContain(`✗ ${file}: Cannot use the access tokens in ${file}`);
    expect(damaged.code).not.toBe(0);
  });

  it("creates tokens that a running workbench accepts at once, and records their use", async () => {
    const workbench = await startHttpWorkbench(cleanup, dev({ fx: fixture() }));
    const at = { home: workbench.home, cwd: workbench.dir, env: workbench.env };
    const config = ["--config", workbench.configFile];
    const { stdout } = await runCli(at, ["token", "create", "ci", "--toolbox", "dev", ...config]);
    const client = new HttpClient(`${workbench.url}/mcp`, stdout.trim());
    expect((await client.initialize()).status).toBe(200);
    await runCli(at, ["token", "revoke", "ci"]);
    expect((await client.request("ping").done()).status).toBe(401);
    const again = await runCli(at, ["token", "create", "ci", ...config]);
    const other = new HttpClient(`${workbench.url}/mcp`, again.stdout.trim());
    await other.initialize();
    await workbench.stop();
    const { tokens } = documentOf(await runCli(at, ["token", "list", "--json"]));
    expect(tokens).toMatchObject([{ name: "ci", lastUsedAt: expect.stringMatching(/:00\.000Z$/) }]);
  });
});
