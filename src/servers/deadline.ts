import { setImmediate as nextTurn } from "node:timers/promises";

const DRAIN_MS = 200;

/** The result of the work; rejects with this failure if it takes longer. */
export async function within<T>(
  ms: number,
  failure: () => Error,
  work: () => Promise<T>,
): Promise<T> {
  return race(ms, work(), (_, reject) => reject(failure()));
}

/** The result of the work; undefined if it takes longer. */
export function atMost<T>(ms: number, work: Promise<T>): Promise<T | undefined> {
  return race<T | undefined>(ms, work, (resolve) => resolve(undefined));
}

/**
 * Waits until the output of a process that has ended is read. A child of it may hold the pipes open
 * forever, so not for long; but the time may be over before the event loop has looked at the pipes at all.
 */
export async function drain(allRead: Promise<unknown>): Promise<void> {
  await atMost(DRAIN_MS, allRead);
  await nextTurn();
}

async function race<T>(
  ms: number,
  work: Promise<T>,
  onTimeout: (resolve: (value: T) => void, reject: (error: Error) => void) => void,
): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<T>((resolve, reject) => {
    timer = setTimeout(onTimeout, ms, resolve, reject);
  });
  try {
    return await Promise.race([work, timeout]);
  } finally {
    clearTimeout(timer);
  }
}
