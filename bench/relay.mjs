// The floor: the least that a relay which understands messages can do. It parses each message,
// finds the server by the name of the tool (`s0__echo`), assigns its own id and prints the request
// again; answers likewise. `node relay.mjs [NUMBER OF SERVERS]`.
import { onLines } from "./lines.mjs";
import { RelayedServer } from "./relayed-server.mjs";

const SEPARATOR = "__";
const say = (message) => process.stdout.write(`${JSON.stringify(message)}\n`);

const servers = new Map(
  Array.from({ length: Number(process.argv[2] ?? 1) }, (_, i) => [`s${i}`, new RelayedServer()]),
);
const [first] = servers.values();

onLines(process.stdin, (line) => {
  const message = JSON.parse(line);
  const { id } = message;
  if (id === undefined) {
    for (const server of servers.values()) server.notify(message);
    return;
  }
  const back = (answer) => {
    answer.id = id;
    say(answer);
  };
  if (message.method === "initialize") {
    // Every server has to receive it; the client gets the answer of the first.
    for (const server of servers.values())
      server.ask({ ...message }, server === first ? back : () => {});
    return;
  }
  if (message.method !== "tools/call") return first.ask(message, back);
  const at = message.params.name.indexOf(SEPARATOR);
  const server = servers.get(message.params.name.slice(0, at));
  message.params.name = message.params.name.slice(at + SEPARATOR.length);
  server.ask(message, back);
});
process.stdin.on("end", () => {
  for (const server of servers.values()) server.end();
  process.exit(0);
});
