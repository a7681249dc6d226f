import { closeSync, openSync, readSync } from "node:fs";

/** A line of a file, without its line break. */
export interface FileLine {
  readonly bytes: Buffer;
  /** False for the end of a file that does not end with a line break. */
  readonly isComplete: boolean;
}

const CHUNK_BYTES = 256 * 1024;
/** No entry is nearly as long: the rest of such a file is not read. */
const MAX_LINE_BYTES = 16 * 1024 * 1024;

/** Reads a file of any size line by line. */
export function* linesOf(path: string): Generator<FileLine, void> {
  const fd = openSync(path, "r");
  try {
    let rest: Buffer = Buffer.alloc(0);
    for (;;) {
      const chunk = Buffer.alloc(CHUNK_BYTES);
      const count = readSync(fd, chunk, 0, CHUNK_BYTES, null);
      if (count === 0) break;
      rest = Buffer.concat([rest, chunk.subarray(0, count)]);
      let start = 0;
      for (let end = rest.indexOf(10); end >= 0; end = rest.indexOf(10, start)) {
        yield { bytes: rest.subarray(start, end), isComplete: true };
        start = end + 1;
      }
      rest = rest.subarray(start);
      if (rest.length > MAX_LINE_BYTES) break;
    }
    if (rest.length > 0) yield { bytes: rest, isComplete: false };
  } finally {
    closeSync(fd);
  }
}
