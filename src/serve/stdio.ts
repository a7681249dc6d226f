import type { Readable, Writable } from "node:stream";

import { RPC } from "../errors.ts";
import { LineReader } from "../wire/lines.ts";
import { errorText } from "../wire/messages.ts";
import { Outbox } from "../wire/outbox.ts";
import type { ServerResponse } from "../wire/response.ts";
import type { Scope, Workbench } from "../workbench/workbench.ts";
import type { ClientOutput } from "./client-output.ts";
import { Session } from "./session.ts";

/** Serves one client over standard input and output, until it closes its end. */
export function serveStdio(
  workbench: Workbench,
  scope: Scope,
  input: Readable = process.stdin,
  output: Writable = process.stdout,
): Promise<void> {
  const client = new StdioClient(output);
  const session = new Session(workbench, scope, client);
  const { messageBytes } = workbench.settings.limits;
  const reader = new LineReader(messageBytes, {
    line: (line) => session.receive(line.text),
    oversized: (_head, bytes) => {
      const message = `Invalid request: a message of ${bytes} bytes is over the limit of ${messageBytes} (limits.messageBytes)`;
      client.message(errorText("null", { code: RPC.invalidRequest, message }));
    },
  });
  input.on("data", (chunk: Buffer) => reader.push(chunk));
  return new Promise((resolve) => {
    const end = (): void => {
      session.close();
      resolve();
    };
    input.once("end", end);
    input.once("close", end);
    input.once("error", end);
    // The client does not read any more: there is nobody left to serve.
    output.once("error", end);
  });
}

class StdioClient implements ClientOutput {
  readonly #out: Outbox;

  constructor(stream: Writable) {
    this.#out = new Outbox(stream);
  }

  answer(idText: string, response: ServerResponse): void {
    response.writeLine(this.#out, idText);
  }

  message(text: string): void {
    this.#out.text(`${text}\n`);
  }
}
