import { PassThrough, Writable } from "node:stream";

import type { RepeatedLine } from "../../serve/shared/client-state.ts";
import { LineReader } from "../../wire/lines.ts";

export interface ContinuedStreams {
  /** Takes what the client sends from now on. */
  readonly gate: Writable;
  readonly input: PassThrough;
  readonly output: Writable;
}

/** The id of an answer is at one of its ends. */
const END_BYTES = 200;

/**
 * The streams of a client that is served here after its input was read elsewhere. The lines that
 * continue its session come first; their answers are not for the client.
 */
export function continuing(sent: Buffer, repeated: readonly RepeatedLine[]): ContinuedStreams {
  const input = new PassThrough();
  const gate = new PassThrough();
  gate.write(sent);
  for (const { text } of repeated) input.write(`${text}\n`);
  let awaited = repeated.filter(({ isFirst }) => isFirst).length;
  const proceed = (): void => void gate.pipe(input);
  if (awaited === 0) proceed();
  const lines = new LineReader(Infinity, {
    line: (line) => {
      const ends = `${line.head(END_BYTES)} ${line.tail(END_BYTES)}`;
      const answered = repeated.find(({ idText }) => idText && ends.includes(idText));
      if (answered === undefined)
        for (const part of [...line.parts, "\n"]) process.stdout.write(part);
      else if (answered.isFirst && --awaited === 0) proceed();
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
  return { gate, input, output };
}
