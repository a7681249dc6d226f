// The MCP server of the benchmark, over stdio: `node fixture.mjs [NUMBER OF TOOLS]`.
import { answerer } from "./tools.mjs";
import { onLines } from "./lines.mjs";

const answer = answerer(Number(process.argv[2] ?? 3));

onLines(process.stdin, (line) => {
  const message = JSON.parse(line);
  if (message.id === undefined) return;
  const id = JSON.stringify(message.id);
  const result = answer(message);
  // The members are in the order in which the official SDKs write them.
  process.stdout.write(
    result === undefined
      ? `{"jsonrpc":"2.0","id":${id},"error":{"code":-32601,"message":"Method not found"}}\n`
      : `{"result":${result},"jsonrpc":"2.0","id":${id}}\n`,
  );
});
process.stdin.on("end", () => process.exit(0));
