// Measures one echo call through the HTTP front, beside what it is made of: a plain node:http echo
// of the same JSON, and a call through the least a relay over stdio can do. All in one run, batch by
// batch in turn, so that a busy machine is busy for all of them.
//
//   npm run build && node scripts/bench-http.mjs [--rounds 12] [--calls 300]
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { Agent, createServer, request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

const SELF = fileURLToPath(import.meta.url);
const PROGRAM = fileURLToPath(new URL("../dist/bin.cjs", import.meta.url));
const SERVER = fileURLToPath(new URL("../test/fixtures/tools-server.mjs", import.meta.url));
const VERSION = "2025-11-25";
const MODERN = "2026-07-28";
const INITIALIZE = {
  protocolVersion: VERSION,
  capabilities: {},
  clientInfo: { name: "bench", version: "1" },
};
const agent = new Agent({ keepAlive: true, maxSockets: 1 });
const echoParams = (text) => ({ name: "echo", arguments: { text } });

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    rounds: { type: "string", default: "12" },
    calls: { type: "string", default: "300" },
  },
});

if (positionals[0] === "plain-http") plainHttp();
else if (positionals[0] === "floor") floor();
else await measure(Math.min(100, Number(values.rounds)), Math.min(5000, Number(values.calls)));

/** Parses what it gets and writes what an echo tool would answer. */
function plainHttp() {
  const server = createServer((incoming, response) => {
    const chunks = [];
    incoming.on("data", (chunk) => chunks.push(chunk));
    incoming.on("end", () => {
      const { id, params } = JSON.parse(Buffer.concat(chunks).toString());
      const result = { content: [{ type: "text", text: params.arguments.text }] };
      const body = JSON.stringify({ jsonrpc: "2.0", id, result });
      response.writeHead(200, {
        "content-type": "application/json",
        "content-length": Buffer.byteLength(body),
      });
      response.end(body);
    });
  });
  server.listen(0, "127.0.0.1", () => console.error(`port ${server.address().port}`));
}

/** A relay that parses, gives each request another id, and prints: nothing else. */
function floor() {
  const child = spawn(process.execPath, [SERVER], { stdio: ["pipe", "pipe", "inherit"] });
  const asked = new Map();
  let next = 1;
  createInterface({ input: process.stdin }).on("line", (line) => {
    const message = JSON.parse(line);
    if (message.id !== undefined) {
      asked.set(next, message.id);
      message.id = next++;
    }
    child.stdin.write(`${JSON.stringify(message)}\n`);
  });
  createInterface({ input: child.stdout }).on("line", (line) => {
    const message = JSON.parse(line);
    message.id = asked.get(message.id);
    process.stdout.write(`${JSON.stringify(message)}\n`);
  });
  process.stdin.on("end", () => child.stdin.end());
}

/** A client over the pipes of a program. */
async function stdioCaller(args) {
  const child = spawn(process.execPath, args, { stdio: ["pipe", "pipe", "inherit"] });
  const waiting = new Map();
  createInterface({ input: child.stdout }).on("line", (line) => {
    const message = JSON.parse(line);
    waiting.get(message.id)?.(message);
    waiting.delete(message.id);
  });
  let id = 0;
  const ask = (method, params) =>
    new Promise((resolve) => {
      waiting.set(++id, resolve);
      child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`);
    });
  await ask("initialize", INITIALIZE);
  child.stdin.write('{"jsonrpc":"2.0","method":"notifications/initialized"}\n');
  const call = (text) => ask("tools/call", { name: "echo", arguments: { text } });
  return { call, stop: () => child.stdin.end() };
}

function post(port, path, headers, body) {
  return new Promise((resolve, reject) => {
    const text = JSON.stringify(body);
    const outgoing = request(
      {
        agent,
        host: "127.0.0.1",
        port,
        path,
        method: "POST",
        headers: {
          "content-type": "application/json",
          accept: "application/json, text/event-stream",
          "content-length": Buffer.byteLength(text),
          ...headers,
        },
      },
      (response) => {
        const chunks = [];
        response.on("data", (chunk) => chunks.push(chunk));
        response.on("end", () =>
          resolve({ headers: response.headers, text: Buffer.concat(chunks).toString() }),
        );
      },
    );
    outgoing.on("error", reject);
    outgoing.end(text);
  });
}

/** Starts a program that says its port on standard error. */
function httpProgram(args, env) {
  const child = spawn(process.execPath, args, { env, stdio: ["ignore", "ignore", "pipe"] });
  const stop = () => child.kill("SIGTERM");
  return new Promise((resolve, reject) => {
    let output = "";
    child.stderr.on("data", (chunk) => {
      output += chunk;
      const port = /(?:port |127\.0\.0\.1:)(\d+)/.exec(output)?.[1];
      if (port !== undefined) resolve({ port: Number(port), stop });
    });
    child.on("exit", () => reject(new Error(output)));
  });
}

async function legacyCaller(port, headers) {
  let id = 0;
  const ask = (method, params, more) =>
    post(
      port,
      "/mcp/bench/fx",
      { ...headers, ...more },
      { jsonrpc: "2.0", id: ++id, method, params },
    );
  const greeting = await ask("initialize", INITIALIZE);
  const session = { "mcp-session-id": greeting.headers["mcp-session-id"] };
  const call = async (text) =>
    JSON.parse((await ask("tools/call", echoParams(text), session)).text);
  return { call, stop() {} };
}

function modernCaller(port, headers) {
  let id = 0;
  const meta = {
    "io.modelcontextprotocol/protocolVersion": MODERN,
    "io.modelcontextprotocol/clientCapabilities": {},
  };
  const mirrored = {
    ...headers,
    "mcp-protocol-version": MODERN,
    "mcp-method": "tools/call",
    "mcp-name": "echo",
  };
  const call = async (text) => {
    const params = { ...echoParams(text), _meta: meta };
    const body = { jsonrpc: "2.0", id: ++id, method: "tools/call", params };
    return JSON.parse((await post(port, "/mcp/bench/fx", mirrored, body)).text);
  };
  return { call, stop() {} };
}

async function median(caller, calls) {
  const times = [];
  for (let i = 0; i < calls; i++) {
    const text = `hello ${i}`;
    const start = performance.now();
    const answer = await caller.call(text);
    times.push(performance.now() - start);
    if (answer.result?.content[0].text !== text) throw new Error(JSON.stringify(answer));
  }
  return times.sort((a, b) => a - b)[times.length >> 1];
}

async function measure(rounds, calls) {
  const dir = mkdtempSync(join(tmpdir(), "mcp-workbench-bench-"));
  const config = join(dir, "config.json");
  const servers = { fx: { command: process.execPath, args: [SERVER] } };
  writeFileSync(
    config,
    JSON.stringify({ toolboxes: { bench: { description: "Bench", mcpServers: servers } } }),
  );
  const token = "a-token-for-the-benchmark";
  const env = { ...process.env, XDG_STATE_HOME: dir, XDG_CACHE_HOME: dir, TOKEN: token };
  const serve = ["serve", "--http", "127.0.0.1:0", "--token-env", "TOKEN", "--config", config];
  const plain = await httpProgram([SELF, "plain-http"], process.env);
  const workbench = await httpProgram([PROGRAM, ...serve], env);
  const authorization = { authorization: `Bearer ${token}` };
  let id = 0;
  const callers = {
    "plain http": {
      call: async (text) => {
        const body = { jsonrpc: "2.0", id: ++id, method: "tools/call", params: echoParams(text) };
        return JSON.parse((await post(plain.port, "/", {}, body)).text);
      },
      stop: plain.stop,
    },
    "stdio direct": await stdioCaller([SERVER]),
    "stdio floor": await stdioCaller([SELF, "floor"]),
    "workbench legacy": await legacyCaller(workbench.port, authorization),
    "workbench modern": modernCaller(workbench.port, authorization),
  };
  const best = {};
  for (let round = 0; round < rounds; round++)
    for (const [name, caller] of Object.entries(callers))
      best[name] = Math.min(best[name] ?? Infinity, await median(caller, calls));
  const micro = (ms) => `${Math.round(ms * 1000)} us`;
  for (const [name, ms] of Object.entries(best)) console.log(name.padEnd(18), micro(ms));
  const parts = best["plain http"] + best["stdio floor"];
  for (const era of ["legacy", "modern"])
    console.log(
      `${era}: ${(best[`workbench ${era}`] / parts).toFixed(2)}x of plain http + stdio floor (${micro(parts)}); the aim is 2x or less`,
    );
  for (const caller of Object.values(callers)) caller.stop();
  workbench.stop();
  agent.destroy();
  rmSync(dir, { recursive: true, force: true });
}
