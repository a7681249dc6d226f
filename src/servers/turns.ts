import type { Readable } from "node:stream";

/** Reading what belongs to one message takes far less; many small ones in a row take longer. */
const LONG_CHUNK_MS = 2;

/**
 * Works on a chunk of what a server writes. A source that is always full would keep the event loop
 * to itself, so after a chunk that took long everyone else gets a turn before the next.
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
