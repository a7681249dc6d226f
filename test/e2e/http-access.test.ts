/** Who may use a workbench over HTTP: S-24 and the rules for the token and the address. */
import { chmodSync, existsSync, readFileSync, statSync } from "node:fs";
import { request } from "node:http";
import { type AddressInfo, createServer } from "node:net";
import { networkInterfaces } from "node:os";
import { describe, expect, it } from "vitest";
import { useToolParams } from "../support/calls.ts";
import { perBlock, perTest } from "../support/disposables.ts";
import { exchange } from "../support/http-client.ts";
import { type HttpWorkbench, startHttpWorkbench, tokenFile } from "../support/http-workbench.ts";
import { runProgram } from "../support/run-program.ts";
import { dev, fixture, MISSING_COMMAND } from "../support/servers.ts";
import { type Place, prepareWorkbench } from "../support/workbench.ts";

const CONFIG = dev({ fx: fixture() });
const INITIALIZE = JSON.stringify({
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: {
    protocolVersion: "2025-11-25",
    capabilities: {},
    clientInfo: { name: "t", version: "1" },
  },
});

/** Sends exactly these headers, repeated ones too. */
function rawRequest(port: number, method: string, path: string, headers: readonly string[]) {
  return new Promise<{ status: number; headers: Record<string, unknown>; text: string }>(
    (resolve, reject) => {
      const outgoing = request(
        { host: "127.0.0.1", port, method, path, agent: false, headers: [...headers] },
        (response) => {
          let text = "";
          response.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
          response.on("end", () =>
            resolve({ status: response.statusCode ?? 0, headers: response.headers, text }),
          );
        },
      );
      outgoing.on("error", reject);
      outgoing.end(method === "POST" ? INITIALIZE : undefined);
    },
  );
}

describe("S-24: a request that a web page could make a browser send", () => {
  const cleanup = perBlock();
  let workbench: HttpWorkbench | undefined;
  const started = async (): Promise<HttpWorkbench> =>
    (workbench ??= await startHttpWorkbench(cleanup, CONFIG));

  const ROUTES = [
    ["POST", "/mcp"],
    ["POST", "/mcp/dev"],
    ["POST", "/mcp/dev/fx"],
    ["GET", "/mcp"],
    ["DELETE", "/mcp"],
    ["OPTIONS", "/mcp"],
    ["GET", "/api/status"],
    ["GET", "/healthz"],
    ["GET", "/nowhere"],
  ] as const;
  const FOREIGN: readonly ((port: number) => string[])[] = [
    () => ["Host", "evil.example"],
    (port) => ["Host", `evil.example:${port}`],
    (port) => ["Host", `localhost.evil.example:${port}`],
    (port) => ["Host", `localhost.:${port}`],
    (port) => ["Host", `x@localhost:${port}`],
    () => ["Host", "localhost"],
    (port) => ["Host", `localhost:${port + 1}`],
    (port) => ["Host", `127.0.0.1:${port}`, "Host", "evil.example"],
    (port) => ["Host", `127.0.0.1:${port}`, "Origin", "http://evil.example"],
    (port) => ["Host", `127.0.0.1:${port}`, "Origin", "null"],
    (port) => ["Host", `127.0.0.1:${port}`, "Origin", "http://localhost:3000"],
    (port) => ["Host", `127.0.0.1:${port}`, "Origin", `http://localhost:${port}.evil.example`],
    (port) => ["Host", `127.0.0.1:${port}`, "Origin", `http://user@localhost:${port}`],
    (port) => {
      const ours = `http://localhost:${port}`;
      return ["Host", `127.0.0.1:${port}`, "Origin", ours, "Origin", ours];
    },
  ];
  const OURS: readonly ((port: number) => string[])[] = [
    (port) => ["Host", `127.0.0.1:${port}`],
    (port) => ["Host", `localhost:${port}`],
    (port) => ["Host", `[::1]:${port}`],
    (port) => ["Host", `localhost:${port}`, "Origin", `http://localhost:${port}`],
    (port) => ["Host", `localhost:${port}`, "Origin", `http://127.0.0.1:${port}`],
  ];
  const TYPE = ["Content-Type", "application/json", "Accept", "*/*"];

  it.each(ROUTES)(
    "to %s %s is forbidden with a foreign Host or Origin, with and without the token",
    async (method, path) => {
      const { port, token } = await started();
      for (const headers of FOREIGN)
        for (const secret of [[], ["Authorization", `Bearer ${token}`]]) {
          const sent = [...headers(port), ...secret, ...TYPE];
          const answer = await rawRequest(port, method, path, sent);
          expect({ sent, status: answer.status }).toEqual({ sent, status: 403 });
          expect(Object.keys(answer.headers).join()).not.toMatch(/access-control/);
          expect(answer.text).not.toContain("dev");
        }
    },
  );

  it.each(ROUTES)("to %s %s needs the token, except for /healthz", async (method, path) => {
    const { port, token } = await started();
    const wrong = [[], ["Bearer"], [`Bearer ${token}x`], [`Bearer ${token?.slice(1)}`], [token]];
    for (const headers of OURS)
      for (const secret of wrong) {
        const shown = secret.flatMap((value) => ["Authorization", String(value)]);
        const answer = await rawRequest(port, method, path, [...headers(port), ...shown, ...TYPE]);
        expect(answer.status).toBe(path === "/healthz" ? 200 : 401);
        const challenge = path === "/healthz" ? undefined : "Bearer";
        expect(answer.headers["www-authenticate"]).toBe(challenge);
      }
  });

  it("is accepted with the token under each name of the workbench", async () => {
    const { port, token } = await started();
    for (const headers of OURS) {
      const sent = [...headers(port), "Authorization", `Bearer ${token}`, ...TYPE];
      const answer = await rawRequest(port, "POST", "/mcp", sent);
      expect(answer.status).toBe(200);
      expect(Object.keys(answer.headers).join()).not.toMatch(/access-control/);
    }
  });

  it("must carry the token in its Authorization header", async () => {
    const { port, token, url } = await started();
    const host = `127.0.0.1:${port}`;
    const tries = [
      exchange(`${url}/api/status?token=${token}`, { method: "GET" }),
      exchange(`${url}/api/status`, { method: "GET", headers: { cookie: `token=${token}` } }),
      exchange(`${url}/api/status`, { method: "GET", headers: { "x-api-key": token } }),
    ];
    for (const answer of await Promise.all(tries)) expect(answer.status).toBe(401);
    const absolute = ["Host", host, "Authorization", `Bearer ${token}`];
    expect((await rawRequest(port, "GET", `http://${host}/api/status`, absolute)).status).toBe(404);
  });

  it("starts no server", async () => {
    const { servers, witness } = await started();
    expect(servers()).toEqual([]);
    expect(witness("dev", "fx").starts).toBe(0);
  });

  it("learns from /healthz without a token no more than that the workbench runs", async () => {
    const { url } = await started();
    const answer = await exchange(`${url}/healthz`, { method: "GET" });
    expect(answer).toMatchObject({ status: 200, text: '{"status":"ok"}' });
  });
});

describe("the access token", () => {
  const cleanup = perTest();

  it("is created at the first start and kept; the client entry has a placeholder for it", async () => {
    const first = await startHttpWorkbench(cleanup, CONFIG);
    const file = tokenFile(first);
    expect(first.token).toMatch(/^[\w-]{43}$/);
    expect((statSync(file).mode & 0o777).toString(8)).toBe("600");
    const shown = first.stderr();
    const snippet = shown.split("\n").find((line) => line.includes("mcpServers")) ?? "{}";
    expect(JSON.parse(snippet)).toEqual({
      mcpServers: {
        workbench: {
          type: "http",
          url: `${first.url}/mcp`,
          headers: { Authorization: "Bearer THE-TOKEN" },
        },
      },
    });
    await first.stop();
    const env = { XDG_STATE_HOME: first.env["XDG_STATE_HOME"] ?? "" };
    const second = await startHttpWorkbench(cleanup, CONFIG, { env });
    expect(second.token).toBe(first.token);
    expect(second.stderr()).not.toContain(first.token);
    expect(second.stderr()).toContain(file);
  });

  it("does not reach servers, the log or the status", async () => {
    const token = "a-token-that-nobody-else-may-see";
    const nosy = { ...fixture("--dump-env"), inheritEnv: ["MY_TOKEN"] };
    const config = dev({ fx: nosy, broken: MISSING_COMMAND }, { log: { level: "debug" } });
    const workbench = await startHttpWorkbench(cleanup, config, {
      args: ["--token-env", "MY_TOKEN"],
      env: { MY_TOKEN: token },
    });
    const client = workbench.client();
    await client.initialize();
    const status = await client.ask("tools/call", useToolParams("dev/fx/status", {}));
    await client.ask("tools/call", useToolParams("dev/broken/x", {}));
    const headers = { authorization: `Bearer ${token}` };
    const reported = await exchange(`${workbench.url}/api/status`, { method: "GET", headers });
    expect(JSON.stringify(status)).toContain("HOME");
    expect(reported.text).toContain('"state":"ready"');
    const { exited, stderr } = workbench;
    const seen = workbench.witness("dev", "fx").rows();
    await workbench.stop();
    await exited;
    for (const sink of [JSON.stringify(status), reported.text, JSON.stringify(seen), stderr()])
      expect(sink).not.toContain(token);
  });

  it("is not read from a file that others can read", async () => {
    const first = await startHttpWorkbench(cleanup, CONFIG);
    await first.stop();
    chmodSync(tokenFile(first), 0o644);
    const run = runServe(first, ["--http", "127.0.0.1:0"]);
    expect(run).toMatchObject({ status: 3, stdout: "" });
    expect(run.stderr).toMatch(/others can use .*token.*Delete the file/s);
    expect(run.stderr).not.toContain(readFileSync(tokenFile(first), "utf8").trim());
  });
});

/** Runs `serve`, which is expected to exit. */
function runServe(place: Place, args: readonly string[], env: Record<string, string> = {}) {
  return runProgram(place.command, [...place.args, ...args], { env: { ...place.env, ...env } });
}

describe("serve --http", () => {
  const cleanup = perTest();

  it.each([
    [["--http"], /--http/],
    [["--http", "nonsense"], /--http 'nonsense' is neither a port nor host:port.*--http 7333/s],
    [["--http", "0.0.0.0:0", "--no-auth"], /--no-auth would open your toolboxes.*127\.0\.0\.1/s],
    [["--http", "0", "--no-auth", "--token-env", "X"], /cannot be combined/],
    [["--http", "0", "--token-env", "NOT_SET"], /the variable NOT_SET is not set/],
    [["--http", "203.0.113.7:7333"], /does not have the address 203\.0\.113\.7/],
    [["--http", "no-such-host.invalid:7333"], /no-such-host\.invalid/],
    [["--no-auth"], /--no-auth requires --http/],
  ])("with %j exits with code 2 and says what to do", (args, reason) => {
    const place = prepareWorkbench(cleanup, CONFIG);
    const run = runServe(place, args);
    expect(run.stderr).toMatch(reason);
    expect(run.stderr).not.toMatch(/^\s+at /m);
    expect(run).toMatchObject({ status: 2, stdout: "" });
    expect(place.servers()).toEqual([]);
  });

  it("exits if the port is in use, and starts no server", async () => {
    const taken = createServer().listen(0, "127.0.0.1");
    cleanup.defer(() => taken.close());
    await new Promise((resolve) => taken.once("listening", resolve));
    const { port } = taken.address() as AddressInfo;
    const place = prepareWorkbench(cleanup, CONFIG);
    const run = runServe(place, ["--http", String(port), "--no-auth"]);
    expect(run.stderr).toMatch(/Cannot listen on 127\.0\.0\.1:\d+: the port is in use/);
    expect(run.stderr).toContain(`--http 127.0.0.1:${port + 1}`);
    expect(run.status).toBe(2);
    expect(place.witness("dev", "fx").starts).toBe(0);
    expect(existsSync(tokenFile(place))).toBe(false);
  });

  it("listens on every address of the machine for clients with the token", async () => {
    const workbench = await startHttpWorkbench(cleanup, CONFIG, { address: "0.0.0.0:0" });
    const { port, token } = workbench;
    const own = Object.values(networkInterfaces())
      .flat()
      .filter((at) => at !== undefined && at.family === "IPv4")
      .map((at) => at?.address);
    expect(own).toContain("127.0.0.1");
    for (const address of own) {
      const url = `http://${address}:${port}/api/status`;
      const headers = { authorization: `Bearer ${token}` };
      expect((await exchange(url, { method: "GET", headers })).status).toBe(200);
      expect((await exchange(url, { method: "GET" })).status).toBe(401);
      const evil = { ...headers, host: `evil.example:${port}` };
      expect((await exchange(url, { method: "GET", headers: evil })).status).toBe(403);
    }
  });

  it("accepts the host names given by --allow-host", async () => {
    const args = ["--allow-host", "workbench.lan", "--allow-host", "proxy:8080", "--no-auth"];
    const { url, port } = await startHttpWorkbench(cleanup, CONFIG, { args });
    const statusFor = async (host: string): Promise<number> =>
      (await exchange(`${url}/healthz`, { method: "GET", headers: { host } })).status;
    expect(await statusFor(`workbench.lan:${port}`)).toBe(200);
    expect(await statusFor("proxy:8080")).toBe(200);
    expect(await statusFor("workbench.lan:8080")).toBe(403);
    expect(await statusFor(`other.lan:${port}`)).toBe(403);
  });

  it("needs no token with --no-auth on the loopback address", async () => {
    const workbench = await startHttpWorkbench(cleanup, CONFIG, { args: ["--no-auth"] });
    const client = workbench.client();
    expect((await client.initialize()).status).toBe(200);
    expect(existsSync(tokenFile(workbench))).toBe(false);
    expect(workbench.stderr()).toContain("--no-auth");
  });
});
