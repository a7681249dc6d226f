// A server behind a minimal relay, which assigns its own ids.
import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { onLines } from "./lines.mjs";

const FIXTURE = fileURLToPath(new URL("fixture.mjs", import.meta.url));

export class RelayedServer {
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
