/**
 * `login`, `logout` and `auth` without a browser; test/e2e/oauth-login.full.test.ts has the rest. In the full suite
 * because each case starts the program several times; test/readme/sign-in-page.full.test.ts has the usual way.
 */
import { spawn } from "node:child_process";
import { chmodSync, readFileSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { describe, expect, it } from "vitest";

import { type CliPlace, cliPlace, ownConfig, runCli, runJson } from "../support/cli.ts";
import { perTest } from "../support/disposables.ts";
import { freePort } from "../support/free-port.ts";
import { startWorld } from "../support/oauth/world.ts";
import { oauthScript } from "../support/oauth-script.ts";
import { fixture, toolbox } from "../support/servers.ts";

const disposables = perTest();

function placeWith(servers: Parameters<typeof toolbox>[0], others = {}): CliPlace {
  const place = cliPlace(disposables);
  const toolboxes = { work: toolbox(servers), ...others };
  writeFileSync(ownConfig(place), JSON.stringify({ credentials: "file", toolboxes }));
  return place;
}

const credentialFolder = ({ home }: CliPlace): string =>
  join(home, ".local/state/mcp-workbench/credentials");

function credentialFiles(place: CliPlace): string[] {
  const folder = credentialFolder(place);
  return readdirSync(folder).map((name) => join(folder, name));
}

describe("login", () => {
  const url = "https://mcp.example/mcp";

  it.each([
    ["work/files", "is a program on this machine"],
    ["work/token", "has an Authorization header in the configuration"],
    ["work/off", 'has "oauth": false'],
    ["notes", "There are 2 servers called 'notes'"],
    ["work/nots", "Did you mean 'work/notes'?"],
  ])("of %s says why it is not possible", async (name, reason) => {
    const place = placeWith(
      {
        files: fixture("--name", "files"),
        token: { url, headers: { authorization: "Bearer x" } },
        off: { url, oauth: false },
        notes: { url },
      },
      { other: toolbox({ notes: { url } }) },
    );
    const { code, stderr, stdout } = await runCli(place, ["login", name]);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toContain(reason);
  });

  it.each([
    [["--port", "0"], "--port takes a port number"],
    [["--import", "tokens.json"], "--import -"],
    [["--import", "-", "--device"], "--import and --device cannot be combined"],
  ])("refuses %j, with --json as an event on one line", async (options, reason) => {
    const { url: address } = (await startWorld(disposables)).server;
    const place = placeWith({ notes: { url: address } });
    const { code, stdout } = await runCli(place, ["login", "notes", "--json", ...options]);
    expect(code).toBe(2);
    expect(stdout.trimEnd().split("\n")).toHaveLength(1);
    expect(JSON.parse(stdout)).toMatchObject({ event: "failed", code: "USAGE" });
    expect(stdout).toContain(reason);
  });

  it("prints the whole address, although a part of it is in the file of secrets", async () => {
    const { serverUrl, as } = await oauthScript(disposables);
    const oauth = { clientId: "${CLIENT_ID}", redirectUri: "https://example.com/callback" };
    const place = placeWith({ notes: { url: serverUrl, oauth } });
    const secrets = join(dirname(ownConfig(place)), "secrets.env");
    writeFileSync(secrets, "CLIENT_ID=client-of-mine\n", { mode: 0o600 });
    const { code, stdout } = await runCli(place, ["login", "notes", "--json"], { input: "" });
    const [opened, failed] = stdout.split("\n").map((line) => (line ? JSON.parse(line) : {}));
    const { origin, searchParams } = new URL((opened as { url: string }).url);
    expect([origin, searchParams.get("client_id")]).toEqual([as.origin, "client-of-mine"]);
    // The browser returns elsewhere, and nothing can be pasted.
    expect(failed).toMatchObject({ event: "failed", code: "USAGE" });
    expect(code).toBe(2);
  });

  it("replaces a stored sign-in that cannot be read", async () => {
    const { serverUrl } = await oauthScript(disposables);
    const place = placeWith({ notes: { url: serverUrl } });
    const input = JSON.stringify({ access_token: "access-1234" });
    const login = ["login", "notes", "--import", "-"];
    await runCli(place, login, { input });
    const [file = ""] = credentialFiles(place);
    writeFileSync(file, "damaged");
    const { code, stderr } = await runCli(place, login, { input });
    expect(code).toBe(0);
    expect(stderr).toContain("it is damaged: it is not a JSON object. This login replaces it");
    expect((await runCli(place, ["auth"])).stdout).toContain("signed in");
  });

  it("does not send a reference in the place of a secret that cannot be read", async () => {
    const place = placeWith({ notes: { url: `${url}?key=\${command:none}` } });
    const { code, stdout } = await runCli(place, ["login", "notes", "--json"]);
    expect(code).toBe(5);
    expect(JSON.parse(stdout)).toMatchObject({ event: "failed", code: "SIGN_IN_FAILED" });
    expect(stdout).toContain("'secretCommands' has no none");
  });

  it("warns if an imported refresh token cannot be used", async () => {
    const place = placeWith({ notes: { url } });
    const input = JSON.stringify({ access_token: "access-1234", refresh_token: "refresh-1234" });
    const { code, stderr } = await runCli(place, ["login", "notes", "--import", "-"], { input });
    expect(code).toBe(0);
    expect(stderr).toContain("cannot be used without the client_id");
    expect(stderr).not.toContain("1234");
  });

  it("reports a server that cannot be reached, with the exit code for that", async () => {
    const place = placeWith({ notes: { url: `http://127.0.0.1:${await freePort()}/mcp` } });
    const { code, stdout } = await runCli(place, ["login", "notes", "--json"]);
    expect(code).toBe(4);
    expect(JSON.parse(stdout)).toMatchObject({ event: "failed", code: "CONNECTION_FAILED" });
  });

  it("refuses a code without the rest of the address, and ends cleanly on Ctrl-C", async () => {
    const world = await startWorld(disposables);
    const { command, args, env, dir, configFile } = world.place;
    const port = String(await freePort());
    const all = [args[0] ?? "", "login", "api", "--json", "--port", port, "--config", configFile];
    const child = spawn(command, all, { cwd: dir, env });
    disposables.defer(() => child.kill("SIGKILL"));
    const events: string[] = [];
    createInterface({ input: child.stdout }).on("line", (line) => {
      events.push(line);
      if (line.includes('"open"')) child.stdin.write("abcdefgh12345678\n");
    });
    let notes = "";
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      notes += text;
      if (notes.includes("Paste it again")) child.kill("SIGINT");
    });
    const code = await new Promise((resolve) => child.on("close", resolve));
    expect(code).toBe(130);
    expect(notes).toContain("The code alone is not enough");
    expect(events.map((line) => JSON.parse(line) as object)).toMatchObject([
      { event: "open", url: expect.stringContaining(encodeURIComponent(`:${port}/`)) as string },
      { event: "failed", code: "INTERRUPTED" },
    ]);
    expect(world.authorization.record.count()).toBe(0);
  });
});

describe("doctor", () => {
  it("reports the secret of a client that is in the configuration, and moves it", async () => {
    const url = "https://mcp.example/mcp";
    const place = placeWith({
      plain: { url, oauth: { clientId: "c", clientSecret: "canary-0123456789" } },
      stored: { url, oauth: { clientId: "c", clientSecret: "${CLIENT_SECRET:-x}" } },
    });
    const { stdout } = await runCli(place, ["doctor", "--no-connect", "--json"]);
    expect(stdout).not.toContain("canary");
    const { checks } = JSON.parse(stdout) as { checks: { subject: string; message: string }[] };
    const found = checks.filter(({ message }) => message.includes("plain text"));
    expect(found).toMatchObject([
      { subject: "work/plain", message: "clientSecret is stored in plain text" },
    ]);
    await runCli(place, ["doctor", "--no-connect", "--fix"]);
    const written = readFileSync(ownConfig(place), "utf8");
    expect(written).not.toContain("canary");
    expect(written).toMatch(/"clientSecret": ?"\$\{\w+\}"/);
  });
});

describe("the check of sign-ins in doctor", () => {
  it.each([
    [3, "behind"],
    [-3, "ahead"],
  ])("notices a clock that is %i hours off", async (hours, direction) => {
    const { as, serverUrl } = await oauthScript(disposables, {
      answers: {
        "GET /": (response) => {
          const date = new Date(Date.now() + hours * 3_600_000).toUTCString();
          response.writeHead(404, { date }).end();
        },
      },
    });
    const place = placeWith({ api: { url: serverUrl } });
    const tokens = { access_token: "imported-token", refresh_token: "r-123456", client_id: "c" };
    const login = ["login", "work/api", "--import", "-"];
    expect(await runCli(place, login, { input: JSON.stringify(tokens) })).toMatchObject({
      code: 0,
    });
    const { stdout } = await runCli(place, ["doctor", "--json"]);
    const { checks } = JSON.parse(stdout) as { checks: { subject: string; message: string }[] };
    const { message } = checks.find(({ subject }) => subject === as.origin) ?? {};
    expect(message).toMatch(new RegExp(`clock of this machine is 1\\d{4} seconds ${direction}`));
  });
});

// Windows has no such permissions.
describe.skipIf(process.platform === "win32")("a stored sign-in that others can read", () => {
  it("is reported by doctor, and made private", async () => {
    const place = placeWith({ notes: { url: "https://mcp.example/mcp" } });
    const input = JSON.stringify({ access_token: "access-1234" });
    await runCli(place, ["login", "notes", "--import", "-"], { input });
    const [file = ""] = credentialFiles(place);
    chmodSync(file, 0o644);
    const { stdout } = await runCli(place, ["doctor", "--no-connect"]);
    expect(stdout).toContain(`Other users had access to ${file} (mode 644)`);
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });
});

describe("auth, doctor and logout --all", () => {
  it("know what is stored, also for servers that are no longer configured", async () => {
    const world = await startWorld(disposables);
    const tokens = JSON.stringify({ access_token: "imported-token-1234", expires_in: 3600 });
    const { url } = world.server;
    const place = placeWith({ api: { url }, second: { url, oauth: { account: "second" } } });
    const login = (name: string) =>
      runCli(place, ["login", name, "--import", "-"], { input: tokens });
    expect(await login("work/api")).toMatchObject({ code: 0 });
    expect(await login("work/second")).toMatchObject({ code: 0 });

    const { servers } = await runJson(place, ["auth"]);
    expect(servers).toMatchObject([
      { server: "work/api", url, auth: { state: "signed-in", account: "default" } },
      { server: "work/second", auth: { state: "signed-in", account: "second" } },
    ]);
    const { checks } = await runJson(place, ["doctor", "--no-connect"]);
    expect(checks).toContainEqual(
      expect.objectContaining({
        area: "sign-in",
        subject: "work/second",
        status: "warning",
        message: expect.stringMatching(/signed in as second until .* no refresh token/) as string,
      }),
    );

    writeFileSync(
      ownConfig(place),
      JSON.stringify({ toolboxes: { work: toolbox({ api: { url } }) } }),
    );
    const folder = credentialFolder(place);
    const damaged = join(folder, `${"0".repeat(64)}.json`);
    writeFileSync(damaged, "", { mode: 0o600 });
    const out = await runJson(place, ["logout", "--all"]);
    expect(out["servers"]).toHaveLength(3);
    expect(out["servers"]).toContainEqual(
      expect.objectContaining({ server: damaged, account: null, removed: true, revoked: false }),
    );
    expect(readdirSync(folder)).toEqual([]);
    expect(out["servers"]).toContainEqual(
      expect.objectContaining({ server: url, account: "second", removed: true, revoked: false }),
    );
    expect(await runCli(place, ["logout", "--all"])).toMatchObject({
      code: 0,
      stderr: "You are not signed in to any server.\n",
    });
    expect(await runCli(place, ["logout"])).toMatchObject({ code: 2 });
    expect(world.server.requests).toEqual([]);
  });
});

describe("init", () => {
  it("lists a server that asks for a login with the command", async () => {
    const { server } = await startWorld(disposables);
    const place = cliPlace(disposables);
    const file = `${place.home}/servers.json`;
    writeFileSync(file, JSON.stringify({ mcpServers: { notes: { url: server.url } } }));
    const report = await runJson(place, ["init", "--from", file, "--toolbox", "work", "--yes"]);
    expect(JSON.stringify(report)).toContain("mcp-workbench login work/notes");
  });
});
