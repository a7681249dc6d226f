/**
 * Follows docs/team.md from one machine to three replicas behind an identity provider, with its configurations and
 * commands, a real Redis and HAProxy, and oidc-provider. In the full suite because it starts all of them; docs.test.ts
 * checks that the page is valid.
 */
import { spawn } from "node:child_process";
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { parse } from "jsonc-parser";
import { expect, it } from "vitest";

import { useToolParams } from "../support/calls.ts";
import { HAS_CLUSTER } from "../support/cluster-rig.ts";
import { perBlock } from "../support/disposables.ts";
import { freePort } from "../support/free-port.ts";
import { startHaproxy } from "../support/haproxy.ts";
import { exchange, HttpClient, messagesIn } from "../support/http-client.ts";
import { startAuthorizationServer } from "../support/oauth/authorization-server.ts";
import { RawClient } from "../support/raw-client.ts";
import { TestRedis } from "../support/redis.ts";
import { type Config, fixture } from "../support/servers.ts";
import { type Place, prepareWorkbench, PROGRAM } from "../support/workbench.ts";
import { blocksOf } from "./blocks.ts";

const PAGE = readFileSync(new URL("../../docs/team.md", import.meta.url), "utf8");
const HOST = "workbench.example.com";
const ISSUER = "https://id.example.com/realms/team";
const PORTS = [7333, 7334, 7335];

/** The blocks of a section, by the number in its heading. */
function section(number: number): { config: Config; lines: readonly string[] } {
  const text = PAGE.split(/^## /m).find((part) => part.startsWith(`${number}. `)) ?? "";
  const blocks = blocksOf(text);
  const of = (language: string) =>
    blocks.filter((block) => block.language === language).map(({ lines }) => lines);
  return { config: parse(of("jsonc")[0]?.join("\n") ?? "{}") as Config, lines: of("sh").flat() };
}

const [machine, signIn, replicas] = [section(1), section(2), section(3)];
const disposables = perBlock();

/** The configuration of the page; its servers are those of the test. */
function place(config: object): Place {
  const toolboxes = Object.entries(machine.config.toolboxes).map(([name, toolbox]) => {
    const servers = Object.keys(toolbox.mcpServers).map((server) => [server, fixture()]);
    return [name, { ...toolbox, mcpServers: Object.fromEntries(servers) as never }] as const;
  });
  const whole = { ...machine.config, ...config, toolboxes: Object.fromEntries(toolboxes) };
  const made = prepareWorkbench(disposables, whole as Config);
  const bin = join(made.dir, "bin");
  mkdirSync(bin);
  symlinkSync(PROGRAM, join(bin, "mcp-workbench"));
  const PATH = `${bin}:${dirname(process.execPath)}:/usr/bin:/bin`;
  return { ...made, env: { ...made.env, PATH } };
}

/** Runs lines of the page until they have ended, or in the background until the test has. */
function shell({ dir, env }: Place, lines: readonly string[], more: object = {}): RawClient {
  const options = { cwd: dir, env: { ...env, ...more }, stdio: "pipe" as const, detached: true };
  const program = new RawClient(spawn("/bin/sh", ["-ec", lines.join("\n")], options));
  disposables.defer(async () => {
    try {
      process.kill(-program.pid, "SIGTERM");
    } catch {
      // All of them have ended.
    }
    await program.exited;
  });
  return program;
}

const listening = (program: RawClient, count: number): Promise<unknown> =>
  program.when(
    () => (program.stderr.match(/listens on/g) ?? []).length === count || undefined,
    "all of them listened",
  );

const ofHost = (url: string, token: string): HttpClient =>
  new HttpClient(`${url}/mcp`, token, { headers: { host: HOST } });

/** Whether a tool can be called; every request is complete, so that any replica can answer it. */
async function works(client: HttpClient, tool: string): Promise<boolean> {
  const { text } = await client.modern("tools/call", useToolParams(tool, { text: "hello" })).done();
  const result = messagesIn(text).at(-1)?.result as { isError?: boolean } | undefined;
  return result !== undefined && result.isError !== true;
}

it("1. one machine: the owner and a person with a token", async () => {
  const made = place({});
  const port = await freePort();
  const [config = "", token = "", serve = "", create = "", ...others] = machine.lines.map((line) =>
    line.replaceAll("7333", String(port)),
  );
  expect(others).toEqual([]);
  const served = shell(made, [config, token, 'echo "token $WORKBENCH_TOKEN" >&2', `exec ${serve}`]);
  await listening(served, 1);
  const [, own = ""] = /^token (\S+)$/m.exec(served.stderr) ?? [];
  const created = shell(made, [config, create]);
  let alice = "";
  created.child.stdout.on("data", (text: Buffer) => (alice += text.toString()));
  await created.exited;
  const url = `http://127.0.0.1:${port}`;
  expect(await works(ofHost(url, own), "docs/docs/echo")).toBe(true);
  expect(await works(ofHost(url, alice.trim()), "tickets/tickets/echo")).toBe(true);
  expect(await works(ofHost(url, alice.trim()), "docs/docs/echo")).toBe(false);
});

it.skipIf(!HAS_CLUSTER)("2. and 3. three replicas, whose users sign in", async () => {
  const client = {
    client_id: "alice",
    client_secret: "secret-of-alice",
    grant_types: ["client_credentials"],
    response_types: [],
    redirect_uris: [],
  };
  const provider = await startAuthorizationServer(disposables, {
    tokenFormat: "jwt",
    clientCredentials: true,
    scopes: ["wb:docs", "wb:tickets"],
    clients: [client],
  });
  const redis = await TestRedis.start(disposables);
  const [front = 0, ...ports] = await freePorts(4);
  const made = place({ ...signIn.config, ...replicas.config });
  const text = readFileSync(made.configFile, "utf8").replace(ISSUER, provider.issuer);
  writeFileSync(made.configFile, text);
  const lines = replicas.lines.map((line) =>
    PORTS.reduce((all, port, i) => all.replaceAll(`:${port}`, `:${ports[i]}`), line).replace(
      "redis://127.0.0.1:6379",
      redis.url,
    ),
  );
  expect(lines.filter((line) => line.endsWith(" &"))).toHaveLength(3);
  const env = { WORKBENCH_CONFIG: made.configFile, WORKBENCH_TOKEN: "0123456789abcdefghij" };
  await listening(shell(made, [...lines, "wait"], env), 3);
  await startHaproxy(disposables, front, ports, HOST);
  const url = `http://127.0.0.1:${front}`;
  const ready = await exchange(`${url}/readyz`, { method: "GET", headers: { host: HOST } });
  expect(JSON.parse(ready.text)).toEqual({ status: "ready" });

  const refused = await exchange(`${url}/mcp`, { method: "GET", headers: { host: HOST } });
  expect([refused.status, refused.headers["www-authenticate"]]).toEqual([
    401,
    expect.stringContaining(`resource_metadata="https://${HOST}/`),
  ]);
  const response = await fetch(provider.tokenEndpoint, {
    method: "POST",
    headers: { authorization: `Basic ${btoa("alice:secret-of-alice")}` },
    body: new URLSearchParams({
      grant_type: "client_credentials",
      scope: "wb:docs",
      resource: `https://${HOST}/mcp`,
    }),
  });
  const { access_token: token } = (await response.json()) as { access_token: string };
  const alice = ofHost(url, token);
  // Each request reaches another replica.
  for (const _ of ports) {
    expect(await works(alice, "docs/docs/echo")).toBe(true);
    expect(await works(alice, "tickets/tickets/echo")).toBe(false);
  }
});

async function freePorts(count: number): Promise<number[]> {
  const ports: number[] = [];
  for (let i = 0; i < count; i++) ports.push(await freePort());
  return ports;
}
