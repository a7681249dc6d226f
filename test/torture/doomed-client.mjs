#!/usr/bin/env node
/**
 * A client that will be killed. Starts a program, lets its servers run, and reports that; with
 * `--deaf` it keeps asking for large results without ever reading one.
 *
 *   node doomed-client.mjs [--deaf] PROGRAM ARGUMENTS…
 */
import { spawn } from "node:child_process";

const deaf = process.argv[2] === "--deaf";
const [program, ...args] = process.argv.slice(deaf ? 3 : 2);
const child = spawn(program, args, { stdio: ["pipe", "pipe", "inherit"] });
child.stdin.on("error", () => {});

let lastId = 0;
const send = (method, params) =>
  child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id: ++lastId, method, params })}\n`);

const ASKS = 400;
let received = "";
child.stdout.on("data", (chunk) => {
  received += chunk;
  if (!received.includes('"id":2')) return;
  child.stdout.removeAllListeners("data");
  child.stdout.pause();
  if (deaf) {
    const tool = { toolbox: "dev", server: "large", name: "fault" };
    for (let i = 0; i < ASKS; i++) send("tools/call", { name: "use_tool", arguments: { tool } });
  } else child.stdout.resume();
  process.stdout.write(`${child.pid}\n`);
});

const clientInfo = { name: "doomed", version: "1.0.0" };
send("initialize", { protocolVersion: "2025-11-25", capabilities: {}, clientInfo });
send("tools/call", { name: "open_toolbox", arguments: { toolbox: "dev" } });
setTimeout(() => process.exit(), 1_800_000);
