/** A server with the tools of a file. It knows nothing but what discovery needs. */

import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";

const [file] = process.argv.slice(2);
const listed = `{"tools":${readFileSync(file, "utf8")}}`;
const initialized = JSON.stringify({
  protocolVersion: "2025-11-25",
  capabilities: { tools: {} },
  serverInfo: { name: "corpus", version: "1" },
});
const ANSWERS = new Map([
  ["initialize", initialized],
  ["tools/list", listed],
  ["ping", "{}"],
]);

for await (const line of createInterface({ input: process.stdin })) {
  const { id, method } = JSON.parse(line);
  if (id === undefined) continue;
  const result = ANSWERS.get(method);
  const body =
    result === undefined
      ? '"error":{"code":-32601,"message":"Method not found"}'
      : `"result":${result}`;
  process.stdout.write(`{"jsonrpc":"2.0","id":${JSON.stringify(id)},${body}}\n`);
}
