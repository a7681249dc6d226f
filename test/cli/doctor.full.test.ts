/**
 * `doctor` finds and explains every kind of problem, and fixes those that are safe to fix. In the
 * full suite because each kind of problem takes several processes; its checks have unit tests.
 */
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";

import { certificateAuthority } from "../support/certificates.ts";
import { startChaosHttp } from "../support/chaos-http.ts";
import { type CliPlace, cliPlace, ownConfig, runCli, runJson } from "../support/cli.ts";
import { perTest } from "../support/disposables.ts";
import { fakeKeychain } from "../support/fake-keychain.ts";
import { waitFor } from "../support/proc.ts";
import { GENEROUS_MS } from "../support/raw-client.ts";
import { MISSING_COMMAND, type ServerEntry, Witness, fixture } from "../support/servers.ts";
import { temporaryFolder } from "../support/workbench.ts";

interface Check {
  readonly area: string;
  readonly subject: string;
  readonly status: string;
  readonly message: string;
  readonly fix?: string;
  readonly lastOutput?: readonly string[];
}

const disposables = perTest();
let place: CliPlace;
let config = "";

beforeEach(() => {
  place = cliPlace(disposables);
  config = ownConfig(place);
});

type Entry = ServerEntry | { readonly url: string; readonly headers?: Record<string, string> };

function configure(servers: Record<string, Entry>, more: object = {}): void {
  const toolboxes = { dev: { description: "For tests", mcpServers: servers } };
  writeFileSync(config, JSON.stringify({ toolboxes, ...more }, undefined, 2), { mode: 0o600 });
}

async function diagnose(...args: string[]) {
  const { exit, ok, checks } = await runJson(place, ["doctor", ...args]);
  const all = checks as readonly Check[];
  const of = (area: string, status: string): readonly Check[] =>
    all.filter((check) => check.area === area && check.status === status);
  return { exit, ok, all, of };
}

describe("doctor", () => {
  it("finds no problem in a good configuration", async () => {
    configure({ tools: fixture() });
    const { exit, ok, of } = await diagnose();
    expect({ exit, ok }).toEqual({ exit: 0, ok: true });
    expect(of("servers", "ok")).toMatchObject([
      {
        subject: "dev/tools",
        message: expect.stringMatching(/^36 tools, [\d,]+ tokens$/) as string,
      },
    ]);
    const { stdout, code } = await runCli(place, ["doctor"]);
    expect(code).toBe(0);
    expect(stdout).toContain("0 problems, 1 warning.");
  });

  it("says how to fix each server that fails to start, and shows its last output", async () => {
    configure({
      missing: MISSING_COMMAND,
      dying: fixture("--name", "dying", "--die", "before-init"),
      good: fixture(),
      off: { ...MISSING_COMMAND, disabled: true },
    });
    const { exit, ok, of } = await diagnose();
    expect({ exit, ok }).toEqual({ exit: 4, ok: false });
    expect(of("servers", "ok").map(({ subject }) => subject)).toEqual(["dev/good"]);
    const [missing, dying] = of("servers", "error");
    expect(missing?.fix).toContain("Install 'no-such-program-anywhere', or correct \"command\"");
    expect(dying?.message).toBe("it exited with code 3");
    expect(dying?.lastOutput?.at(-1)).toBe("dying: cannot start, reason 30 of 30");
    expect(dying?.fix).toContain("Start it by hand");
    const { stdout } = await runCli(place, ["doctor"]);
    expect(stdout).toContain(
      "      | dying: cannot start, reason 30 of 30\n    → Start it by hand",
    );
  });

  it("waits for a server no longer than --timeout says", async () => {
    configure({ slow: fixture("--start-delay", "60000") });
    const { of } = await diagnose("--timeout", "0.3");
    const [slow] = of("servers", "error");
    expect(slow?.message).toContain("connection timeout: no answer within 300 ms");
    expect(slow?.fix).toContain("timeouts.connectMs");
    const silent = await startChaosHttp(disposables);
    await silent.set({ mode: "half-open", on: "*" });
    configure({ silent: { url: `${silent.origin}/mcp` } });
    // Part of this time is for the connection, which a busy machine is slow to notice.
    const [remote] = (await diagnose("--timeout", "3")).of("servers", "error");
    expect(remote?.message).toContain("did not answer");
    expect(remote?.fix).toContain("timeouts.connectMs in toolboxes.dev.mcpServers.silent");
  });

  it("says how to fix each server with a URL that fails", async () => {
    const failing = async (mode: string): Promise<Entry> => {
      const chaos = await startChaosHttp(disposables);
      await chaos.set({ mode, on: "*", retryAfter: 7 });
      return { url: `${chaos.origin}/mcp` };
    };
    const modes = { busy: "429", broken: "500", down: "503", huge: "gzip-bomb", secret: "401" };
    const servers = Object.entries(modes).map(
      async ([name, mode]) => [name, await failing(mode)] as const,
    );
    const folder = temporaryFolder(disposables);
    const { key, cert } = certificateAuthority(folder).issue("unknown", "IP:127.0.0.1");
    const untrusted = await startChaosHttp(disposables, "--tls", key, cert);
    configure({
      ...Object.fromEntries(await Promise.all(servers)),
      untrusted: { url: `${untrusted.origin}/mcp` },
    });
    const { of } = await diagnose();
    const found = Object.fromEntries(
      of("servers", "error").map(({ subject, message, fix }) => [subject, [message, fix]]),
    );
    const like = (text: string): string => expect.stringContaining(text) as string;
    expect(found).toEqual({
      "dev/busy": [
        like("(HTTP 429) and asks to wait 7 s"),
        "Call it less often, or ask its operator for a higher limit",
      ],
      "dev/broken": [like("failed (HTTP 500)"), "The cause is in the logs of the server"],
      "dev/down": [like("(HTTP 503)"), "Try again later, or check the server's logs"],
      "dev/huge": [like("the limit is"), like("raise limits.messageBytes")],
      "dev/secret": [
        like("the user has to sign in"),
        "Sign in with: mcp-workbench login dev/secret",
      ],
      "dev/untrusted": [like("is not from a trusted issuer"), like("NODE_EXTRA_CA_CERTS")],
    });
    // The message does not repeat the fix.
    for (const [message = "", fix = ""] of Object.values(found)) expect(message).not.toContain(fix);
  });

  it("warns of whatever is risky in a configuration", async () => {
    const secret = `ghp_${"a1B2c3D4e5F6".repeat(3)}`;
    configure({
      unpinned: { command: "npx", args: ["-y", "@scope/server"] },
      pinned: { command: "npx", args: ["-y", "@scope/server@1.0.0"] },
      plain: { url: "http://example.com/mcp" },
      local: { url: "http://127.0.0.1:1/mcp" },
      secret: { command: "node", env: { GITHUB_TOKEN: secret } },
      needy: { command: "node", env: { A: "${NOT_SET_ANYWHERE}" } },
      self: { command: "npx", args: ["-y", "mcp-workbench@1.0.0", "serve"] },
    });
    const { exit, all, of } = await diagnose("--no-connect");
    expect(exit).toBe(3);
    expect(JSON.stringify(all)).not.toContain(secret);
    expect(of("config", "warning").map(({ subject, message }) => `${subject}: ${message}`)).toEqual(
      [
        "dev/secret: GITHUB_TOKEN is stored in plain text",
        "dev/unpinned: '@scope/server' is not pinned to a version: each start may run different code",
        "dev/plain: it uses http://, so the traffic is not encrypted",
      ],
    );
    expect(of("config", "error")).toMatchObject([
      { subject: "dev/self", fix: "Remove it: mcp-workbench remove dev/self" },
      {
        subject: "dev/needy",
        message: expect.stringContaining("NOT_SET_ANYWHERE is not set") as string,
      },
    ]);
  });

  it("moves plain-text secrets to secrets.env with --fix, and undo restores them", async () => {
    const secret = "ghp_0123456789abcdefghijABCDEFGHIJ012345";
    const text = `{
  // Comments stay.
  "toolboxes": { "dev": { "description": "For tests", "mcpServers": {
    "a": { "command": "node", "args": ["x.js", "--api-key", "${secret}"], "env": { "GITHUB_TOKEN": "${secret}", "B": "\${keychain:B}" } },
    "b": { "url": "https://example.com/mcp?api_key=\${API_KEY}", "headers": { "Authorization": "Bearer ${secret}" } },
    "c": { "command": "node", "environment": { "GITHUB_TOKEN": "ghp_9876543210abcdefghijABCDEFGHIJ012345" } }
  } } }
}
`;
    writeFileSync(config, text, { mode: 0o600 });
    const before = await diagnose("--no-connect");
    expect(before.of("config", "warning").map(({ message }) => message)).toEqual(
      expect.arrayContaining([
        "GITHUB_TOKEN is stored in plain text",
        "a secret is in its arguments, which every program on this machine can see",
        "a secret is in its URL, which servers and proxies often log",
        "B was not stored in the keychain by 'mcp-workbench secret'",
      ]),
    );
    const { all, of } = await diagnose("--no-connect", "--fix");
    expect(of("config", "fixed").map(({ subject }) => subject)).toEqual([
      "dev/a",
      "dev/a",
      "dev/b",
    ]);
    // In the spelling of another client, it is left to the user.
    expect(of("config", "warning").filter(({ subject }) => subject === "dev/c")).toHaveLength(1);
    expect(JSON.stringify(all)).not.toMatch(/0123456789|9876543210/);
    const after = readFileSync(config, "utf8");
    expect(after).not.toContain(secret);
    expect(after).toContain("// Comments stay.");
    expect(after).toContain('"Bearer ${GITHUB_TOKEN}"');
    expect(after).toContain('"${keychain:B}"');
    const secrets = join(config, "../secrets.env");
    expect(readFileSync(secrets, "utf8")).toContain(`GITHUB_TOKEN=${secret}`);
    expect((await runCli(place, ["undo"])).code).toBe(0);
    expect(readFileSync(config, "utf8")).toBe(text);
    expect(existsSync(secrets)).toBe(false);
  });

  it("moves plain-text secrets to the keychain with --secrets keychain", async () => {
    const keychain = fakeKeychain(place.home);
    configure({ a: { command: "node", env: { GITHUB_TOKEN: "zebra-lantern-hill-42" } } });
    const args = ["doctor", "--no-connect", "--fix", "--secrets"];
    expect((await runCli(place, [...args, "elsewhere"])).stderr).toContain("--secrets must be");
    expect((await runCli(place, [...args, "keychain"], { env: keychain.env })).code).toBe(0);
    expect(keychain.secrets()).toEqual({ GITHUB_TOKEN: "zebra-lantern-hill-42" });
    expect(readFileSync(config, "utf8")).toContain("${keychain:GITHUB_TOKEN}");
  });

  // Windows has no permission bits.
  it.runIf(process.getuid !== undefined)(
    "reports files with secrets that are missing or not private",
    async () => {
      const file = join(place.home, "token");
      writeFileSync(file, "canary", { mode: 0o644 });
      // A file of root counts as private.
      if (process.getuid?.() === 0) chownSync(file, 12345, 12345);
      configure({
        a: { ...fixture(), env: { A: "${file:~/token}", B: "${file:none}", C: "${file:none:-x}" } },
      });
      const { of } = await diagnose("--no-connect");
      expect(of("config", "error")).toMatchObject([
        { subject: "dev/a", message: expect.stringContaining("none") as string },
      ]);
      expect(of("config", "warning")).toMatchObject([{ subject: file }]);
    },
  );

  it("warns of toolboxes that are too large", async () => {
    const many = Array.from({ length: 9 }, (_, i) => [
      `s${i}`,
      { ...MISSING_COMMAND, disabled: true },
    ]);
    configure(
      { ...(Object.fromEntries(many) as object), tools: fixture() },
      { openBudgetTokens: 100 },
    );
    const { of } = await diagnose();
    expect(of("config", "warning")).toMatchObject([
      { subject: "toolbox dev", message: expect.stringContaining("10 servers") as string },
    ]);
    expect(of("servers", "warning")).toMatchObject([
      { subject: "toolbox dev", message: expect.stringContaining("opening it costs") as string },
    ]);
  });

  it("explains a configuration that is missing or broken", async () => {
    const missing = await diagnose();
    expect(missing.exit).toBe(3);
    expect(missing.of("config", "error")[0]?.fix).toContain("mcp-workbench init");
    writeFileSync(config, '{ "toolboxs": {} }');
    const broken = await diagnose();
    expect(broken.exit).toBe(3);
    expect(broken.of("config", "error")[0]?.message).toContain('Did you mean "toolboxes"?');
  });

  it("corrects file permissions with --fix", async () => {
    configure({ tools: fixture() });
    const state = join(place.home, ".local/state/mcp-workbench");
    mkdirSync(state, { recursive: true });
    writeFileSync(join(state, "token"), "secret");
    chmodSync(join(state, "token"), 0o644);
    chmodSync(state, 0o755);
    chmodSync(config, 0o644);
    const before = await diagnose("--no-connect");
    expect(before.of("config", "warning")).toMatchObject([{ subject: config }]);
    expect(before.of("files", "warning").map(({ subject }) => subject)).toEqual([
      state,
      join(state, "token"),
    ]);
    expect(before.of("files", "warning")[1]?.fix).toContain("chmod 600");
    const fixed = await diagnose("--no-connect", "--fix");
    expect(fixed.exit).toBe(0);
    expect([...fixed.of("config", "fixed"), ...fixed.of("files", "fixed")].length).toBe(3);
    for (const [path, mode] of [
      [config, 0o600],
      [state, 0o700],
      [join(state, "token"), 0o600],
    ] as const)
      expect(statSync(path).mode & 0o777).toBe(mode);
    expect((await diagnose("--no-connect")).of("files", "ok").length).toBe(1);
  });

  it("checks the entries of the workbench in the files of clients", async () => {
    configure({ tools: fixture() });
    const cursor = join(place.home, ".cursor/mcp.json");
    mkdirSync(join(place.home, ".cursor"));
    const { command, args } = fixture();
    writeFileSync(cursor, JSON.stringify({ mcpServers: { mine: { command, args } } }));
    expect((await diagnose("--no-connect")).of("clients", "warning")).toMatchObject([
      { message: "no client has the workbench" },
    ]);
    await runCli(place, ["install", "cursor"]);
    const doubled = await diagnose("--no-connect");
    expect(doubled.of("clients", "ok")).toMatchObject([
      { message: "starts the workbench as 'workbench'" },
    ]);
    expect(doubled.of("clients", "warning")).toMatchObject([
      {
        message: expect.stringContaining("agents load them twice: mine") as string,
        fix: "mcp-workbench install cursor --replace",
      },
    ]);
    // Without the entry in the client, a server that fails here could not be used at all.
    configure({ tools: MISSING_COMMAND });
    writeFileSync(
      cursor,
      readFileSync(cursor, "utf8").replace(
        /"mine":\{.*?\}/,
        `"mine":${JSON.stringify(MISSING_COMMAND)}`,
      ),
    );
    expect((await diagnose()).of("clients", "warning")).toEqual([]);
    expect((await diagnose("--no-connect")).of("clients", "warning")).toHaveLength(1);
    const workbench = {
      command: process.execPath,
      args: ["/gone/bin.cjs", "serve", "--config", config],
    };
    writeFileSync(cursor, JSON.stringify({ mcpServers: { workbench } }));
    const stale = await diagnose("--no-connect");
    expect(stale.exit).toBe(1);
    expect(stale.of("clients", "error")).toMatchObject([
      {
        message: "its entry 'workbench' names /gone/bin.cjs, which does not exist",
        fix: "mcp-workbench install cursor",
      },
    ]);
    writeFileSync(cursor, "{ broken");
    const broken = await diagnose("--no-connect");
    expect(broken.of("clients", "warning")[0]?.message).toMatch(/mcp\.json:1:\d+: not valid JSON/);
  });

  it("cleans up after a workbench that was killed", async () => {
    configure({ tools: fixture() });
    const run = join(place.home, ".local/state/mcp-workbench/run");
    mkdirSync(run, { recursive: true, mode: 0o700 });
    chmodSync(join(run, ".."), 0o700);
    const [gone, here] = ["999999999.json", `${process.pid}.json`].map((name) => join(run, name));
    for (const file of [gone, here]) writeFileSync(file ?? "", "{}", { mode: 0o600 });
    expect((await diagnose("--no-connect")).of("files", "warning")).toMatchObject([
      { subject: "workbench with pid 999999999" },
    ]);
    const fixed = await diagnose("--no-connect", "--fix");
    expect(fixed.of("files", "fixed")).toMatchObject([{ subject: "workbench with pid 999999999" }]);
    expect([existsSync(gone ?? ""), existsSync(here ?? "")]).toEqual([false, true]);
  });

  it("ends with exit code 130 when it is interrupted by SIGINT", async () => {
    const witness = new Witness(join(place.home, "witness.jsonl"));
    const slow = { ...fixture("--start-delay", "60000"), env: { WITNESS: witness.file } };
    configure({ slow });
    const { code } = await runCli(place, ["doctor"], {
      running: (child) =>
        void waitFor(() => witness.starts, GENEROUS_MS, "the slow server to start").then(() =>
          child.kill("SIGINT"),
        ),
    });
    expect(code).toBe(130);
  });
});
