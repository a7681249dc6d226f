#!/usr/bin/env node
/**
 * Forwards lines between one client and its servers and trusts whatever they send. It exists to
 * fail: a fuzzer that finds nothing wrong with it would find nothing at all.
 */
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";

const { toolboxes } = JSON.parse(readFileSync(process.argv.at(-1), "utf8"));
const linesOf = (input, handle) => createInterface({ input }).on("line", handle);
const write = (stream, message) => stream.write(`${JSON.stringify(message)}\n`);
const askers = new Map();
const servers = new Map();
let lastId = 0;

function start(path, { command, args, env }) {
  const child = spawn(command, args, { env: { ...process.env, ...env }, stdio: "pipe" });
  const clientInfo = { name: "careless", version: "1.0.0" };
  const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo };
  write(child.stdin, { jsonrpc: "2.0", id: 0, method: "initialize", params });
  linesOf(child.stdout, (line) => {
    const message = JSON.parse(line);
    if (message.id !== 0) write(process.stdout, { ...message, id: askers.get(message.id) });
  });
  servers.set(path, child);
}

for (const [toolbox, { mcpServers }] of Object.entries(toolboxes))
  for (const [name, entry] of Object.entries(mcpServers)) start(`${toolbox}/${name}`, entry);

linesOf(process.stdin, (line) => {
  const { id, method, params } = JSON.parse(line);
  if (method !== "tools/call") return write(process.stdout, { jsonrpc: "2.0", id, result: {} });
  const { tool, arguments: args } = params.arguments;
  askers.set(++lastId, id);
  const called = { name: tool.name, arguments: args };
  const message = { jsonrpc: "2.0", id: lastId, method, params: called };
  return write(servers.get(`${tool.toolbox}/${tool.server}`).stdin, message);
});
