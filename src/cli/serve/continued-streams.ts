import { PassThrough, Writable } from "node:stream";

import { REPEAT_ID } from "../../serve/shared/client-state.ts";
import { LineReader } from "../../wire/lines.ts";

export interface ContinuedStreams {
  readonly input: PassThrough;
  /** Standard output if missing. */
  readonly output?: Writable;
}

/** The streams of a client that is served here after its input was read elsewhere. */
export function continuing(sent: Buffer, hasRepeated: boolean): ContinuedStreams {
  const input = new PassThrough();
  input.write(sent);
  if (!hasRepeated) return { input };
  const lines = new LineReader(Infinity, {
    line: (line) => {
      // The answers to requests that only repeat the session are not for the client.
      const ends = `${line.head(END_BYTES)} ${line.tail(END_BYTES)}`;
      if (!ends.includes(REPEAT_ID))
        for (const part of [...line.parts, "\n"]) process.stdout.write(part);
    },
    oversized: () => {},
  });
  const output = new Writable({
    write(chunk: Buffer, _encoding, done) {
      lines.push(chunk);
      done();
    },
  });
  process.stdout.once("error", (error) => output.destroy(error));
  return { input, output };
}

/** The id of an answer is at one of its ends. */
const END_BYTES = 200;
