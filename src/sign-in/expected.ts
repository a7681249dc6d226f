import { createHash, timingSafeEqual } from "node:crypto";

/** Something that waits for the browser, found by its secret. */
export interface Expected {
  readonly secret: Buffer;
  /** True from its use on, so that there is only one. */
  isTaken: boolean;
  readonly end: (error?: unknown) => void;
}

/** The item with this secret; compares in constant time. */
export function find<T extends Expected>(items: Iterable<T>, secret: string): T | undefined {
  const given = digest(secret);
  let found: T | undefined;
  for (const item of items) if (timingSafeEqual(item.secret, given)) found = item;
  return found === undefined || found.isTaken ? undefined : found;
}

/** The same, for one use. */
export function take<T extends Expected>(items: Iterable<T>, secret: string): T | undefined {
  const found = find(items, secret);
  if (found !== undefined) found.isTaken = true;
  return found;
}

export function digest(secret: string): Buffer {
  return createHash("sha256").update(secret).digest();
}

/** Something that is waited for, until its time is over. */
export interface Awaited<T extends Expected> {
  readonly item: T;
  readonly done: Promise<void>;
  /** Lets its time begin again. */
  readonly extend: () => void;
}

/** Adds what a browser may come for; `end` of the item removes it and calls `onEnd`. */
export function expectItem<T extends Expected>(
  items: Set<T>,
  maxMs: number,
  make: (end: Expected["end"]) => T,
  onEnd: () => void = () => {},
): Awaited<T> {
  let settle = (_error: unknown): void => {};
  const done = new Promise<void>((resolve, reject) => {
    settle = (error) => (error === undefined ? resolve() : reject(error));
  });
  done.catch(() => {});
  const late = new Error("the sign-in was not completed in time");
  const timer = setTimeout(() => item.end(late), maxMs).unref();
  const item = make((error) => {
    clearTimeout(timer);
    items.delete(item);
    settle(error);
    onEnd();
  });
  items.add(item);
  return { item, done, extend: () => void timer.refresh() };
}
