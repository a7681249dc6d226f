/** Servers that are a few lines of JavaScript in a test. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Disposables } from "./disposables.ts";
import type { ServerEntry } from "./servers.ts";
import { temporaryFolder } from "./workbench.ts";

/** What every server needs around its answers. */
const FRAME = `
import { existsSync, mkdirSync, rmdirSync } from "node:fs";
import { createInterface } from "node:readline";
const send = (message) => process.stdout.write(JSON.stringify({ jsonrpc: "2.0", ...message }) + "\\n");
let receiveResponse = () => {};
const onResponse = (receive) => { receiveResponse = receive; };
const notified = {};
const onNotification = (method, receive) => { notified[method] = receive; };
const serve = (answers) =>
  createInterface({ input: process.stdin }).on("line", (line) => {
    const { id, method, params, ...rest } = JSON.parse(line);
    if (id === undefined) return notified[method]?.(params);
    if (method === undefined) return receiveResponse({ id, ...rest });
    const answer = answers[method];
    if (answer === undefined) return send({ id, error: { code: -32601, message: "Method not found" } });
    const result = answer(params, id);
    if (result !== undefined) send({ id, result });
  });
const modern = (capabilities) => ({
  "server/discover": () => ({
    resultType: "complete",
    supportedVersions: ["2026-07-28"],
    capabilities,
    _meta: { "io.modelcontextprotocol/serverInfo": { name: "script", version: "1.0.0" } },
  }),
  "tools/list": () => ({
    resultType: "complete",
    ttlMs: 0,
    cacheScope: "private",
    tools: [{ name: "hello", inputSchema: { type: "object" } }],
  }),
});
const legacy = (capabilities) => ({
  initialize: () => ({
    protocolVersion: "2025-11-25",
    capabilities,
    serverInfo: { name: "script", version: "1.0.0" },
  }),
  "tools/list": () => ({ tools: [{ name: "hello", inputSchema: { type: "object" } }] }),
  "tools/call": () => ({ content: [{ type: "text", text: "hello" }] }),
});
`;

/** A server that runs this program; `serve`, `send`, `onResponse`, `onNotification`, `legacy` and `modern` are there for it. */
export function scriptServer(disposables: Disposables, program: string): ServerEntry {
  // `init` takes the name of the folder for that of a project; a random one may contain "aws".
  const folder = join(temporaryFolder(disposables), "script");
  mkdirSync(folder);
  const file = join(folder, "server.mjs");
  writeFileSync(file, FRAME + program);
  return { command: process.execPath, args: [file] };
}
