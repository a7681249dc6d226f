import type { Socket } from "node:net";

import { LINE_FEED } from "../../wire/characters.ts";

/** The next line from a socket, which is paused afterwards; rejects if it does not come. */
export function readLine(socket: Socket, maxBytes: number, limitMs: number): Promise<string> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    const done = (): void => {
      clearTimeout(timer);
      socket.off("data", onData).off("end", onEnd).off("close", onEnd).off("error", onEnd);
      socket.pause();
    };
    const fail = (reason: string): void => {
      done();
      reject(new Error(reason));
    };
    const onEnd = (): void => fail("the connection was closed");
    const onData = (chunk: Buffer): void => {
      chunks.push(chunk);
      bytes += chunk.length;
      if (!chunk.includes(LINE_FEED)) {
        if (bytes > maxBytes) fail("the line is too long");
        return;
      }
      done();
      const all = Buffer.concat(chunks, bytes);
      const end = all.indexOf(LINE_FEED);
      if (end + 1 < all.length) socket.unshift(all.subarray(end + 1));
      resolve(all.toString("utf8", 0, end));
    };
    const timer = setTimeout(() => fail("no answer in time"), limitMs);
    socket.on("data", onData).on("end", onEnd).on("close", onEnd).on("error", onEnd);
    socket.resume();
  });
}
