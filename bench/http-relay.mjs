// The floor over HTTP: the least that a relay with `node:http` in front of one server can do. It checks nothing and has no
// sessions. Prints its port to standard error.
import { createServer } from "node:http";
import { RelayedServer } from "./relayed-server.mjs";

const relayed = new RelayedServer();

const server = createServer((request, response) => {
  const chunks = [];
  request.on("data", (chunk) => chunks.push(chunk));
  request.on("end", () => {
    const message = JSON.parse(Buffer.concat(chunks).toString());
    const { id } = message;
    if (id === undefined) {
      relayed.notify(message);
      response.writeHead(202).end();
      return;
    }
    relayed.ask(message, (answer) => {
      answer.id = id;
      const body = Buffer.from(JSON.stringify(answer));
      const headers = { "content-type": "application/json", "content-length": body.length };
      response.writeHead(200, headers).end(body);
    });
  });
});
server.listen(0, "127.0.0.1", () => console.error(`http://127.0.0.1:${server.address().port}`));
process.on("SIGTERM", () => {
  relayed.end();
  process.exit(0);
});
