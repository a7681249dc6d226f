// The floor: the least that a relay which understands messages can do. It parses each message,
// finds the server by the name of the tool (`s0__echo`), assigns its own id and prints the request
// again; answers likewise. `node relay.mjs [NUMBER OF SERVERS]`.
import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { onLines } from "./lines.mjs";

const FIXTURE = fileURLToPath(new URL("fixture.mjs", import.meta.url));
const SEPARATOR = "__";
const say = (message) => process.stdout.write(`${JSON.stringify(message)}\n`);

class Server {
  #child = spawn(process.execPath, [FIXTURE], { stdio: ["pipe", "pipe", "inherit"] });
  #waiting = new Map();
  #next = 1;

  constructor() {
    onLines(this.#child.stdout, (line) => {
      const message = JSON.parse(line);
      const answered = this.#waiting.get(message.id);
      this.#waiting.delete(message.id);
      answered?.(message);
    });
  }

  ask(message, answered) {
    const id = this.#next++;
    this.#waiting.set(id, answered);
    message.id = id;
    this.notify(message);
  }

  notify(message) {
    this.#child.stdin.write(`${JSON.stringify(message)}\n`);
  }

  end() {
    this.#child.stdin.end();
  }
}

const servers = new Map(
  Array.from({ length: Number(process.argv[2] ?? 1) }, (_, i) => [`s${i}`, new Server()]),
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
