/** A token request ends after 10 seconds; then its answer is stored. */
const MAX_WAIT_MS = 12_000;

/**
 * Exits as soon as `pending` has settled. A refresh token is used up by its request, so a program that ends before
 * it has stored the answer ends the sign-in. Nothing but SIGKILL is faster, and the wait is bounded.
 */
export function exitAfter(pending: readonly (() => Promise<unknown>)[], code: number): void {
  const exit = (): void => process.exit(code);
  if (pending.length === 0) return exit();
  setTimeout(exit, MAX_WAIT_MS);
  void Promise.allSettled(pending.map((wait) => wait())).then(exit);
}
