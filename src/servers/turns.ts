import type { Readable } from "node:stream";

/** Processing one message takes far less; many small ones in a row take longer. */
const LONG_CHUNK_MS = 2;

/**
 * Processes a chunk of a server's output. A source that always has data would block the event loop,
 * so after a slow chunk other work gets a turn.
 */
export function takeTurn(
  source: Readable,
  work: () => void,
  mayGoOn: () => boolean = () => true,
): void {
  const begin = performance.now();
  work();
  if (performance.now() - begin <= LONG_CHUNK_MS) return;
  source.pause();
  setImmediate(() => {
    if (mayGoOn()) source.resume();
  });
}
