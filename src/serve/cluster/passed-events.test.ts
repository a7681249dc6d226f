import type { IncomingMessage, ServerResponse as HttpResponse } from "node:http";
import { PassThrough, Writable } from "node:stream";
import { describe, expect, it } from "vitest";

import { OpenRequests } from "./open-requests.ts";
import { PassedEvents } from "./passed-events.ts";

const CALL = Buffer.from('{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"t"}}');
const EVENT = "data: {}\n\n";

/** The response to a client that reads when it is asked to. */
class SlowResponse extends Writable {
  text = "";
  #onRead: (() => void) | undefined;

  constructor() {
    super({ highWaterMark: 1 });
  }

  flushHeaders(): void {}

  setTimeout(): void {}

  override _write(chunk: Buffer, _encoding: string, callback: () => void): void {
    this.text += chunk.toString();
    this.#onRead = callback;
  }

  read(): void {
    const onRead = this.#onRead;
    this.#onRead = undefined;
    onRead?.();
  }
}

function pass(isAlive: boolean) {
  const answer = new PassThrough();
  const response = new SlowResponse();
  const open = new OpenRequests(CALL);
  const passed = new PassedEvents(
    answer as unknown as IncomingMessage,
    response as unknown as HttpResponse,
    { open, isAlive: async () => isAlive },
  );
  const closed = new Promise<void>((resolve) => void response.once("close", resolve));
  return { answer, response, closed, passed };
}

async function until(isTrue: () => boolean): Promise<void> {
  while (!isTrue()) await new Promise(setImmediate);
}

describe("events for a client that does not read", () => {
  it("are not requested from the replica until it reads", async () => {
    const { answer, response, closed } = pass(true);
    answer.write(EVENT);
    await until(() => answer.isPaused());
    response.read();
    await until(() => !answer.isPaused());
    answer.end();
    await closed;
    expect(response.text).toBe(EVENT);
  });

  it("end without a message if the replica has cut off the client", async () => {
    const { answer, response, closed } = pass(true);
    answer.write(EVENT);
    await until(() => answer.isPaused());
    // Node.js notices the end of a connection only when everything before it was read.
    response.read();
    await until(() => !answer.isPaused());
    answer.destroy(new Error("aborted"));
    await closed;
    expect([response.writableFinished, response.text]).toEqual([false, EVENT]);
  });

  it("end with an error if the replica is lost", async () => {
    const { answer, response, closed } = pass(false);
    answer.write(EVENT);
    await until(() => answer.isPaused());
    answer.destroy(new Error("aborted"));
    await until(() => response.writableEnded);
    response.read();
    response.read();
    await closed;
    expect(response.text).toMatch(/^data: \{\}\n\ndata: .*"id":1,"error".*may or may not/);
  });
});
