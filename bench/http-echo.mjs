// The same tools directly from `node:http`: no sessions, no checks, no other process. Prints its
// port to standard error.
import { createServer } from "node:http";
import { answerer } from "./tools.mjs";

const answer = answerer(3);

const server = createServer((request, response) => {
  const chunks = [];
  request.on("data", (chunk) => chunks.push(chunk));
  request.on("end", () => {
    const message = JSON.parse(Buffer.concat(chunks).toString());
    const result = answer(message) ?? "{}";
    const body = Buffer.from(`{"result":${result},"jsonrpc":"2.0","id":${message.id ?? null}}`);
    const headers = { "content-type": "application/json", "content-length": body.length };
    response.writeHead(200, headers).end(body);
  });
});
server.listen(0, "127.0.0.1", () => console.error(`http://127.0.0.1:${server.address().port}`));
process.on("SIGTERM", () => process.exit(0));
