const STEP_MS = 100;

/** Tries again and again until something is as it should be, or time is over. */
export async function until<T>(
  attempt: () => Promise<T | undefined>,
  what: string,
  timeout = 15_000,
): Promise<T> {
  const deadline = performance.now() + timeout;
  for (;;) {
    const value = await attempt();
    if (value !== undefined) return value;
    if (performance.now() > deadline) throw new Error(`waited ${timeout} ms in vain for ${what}`);
    await new Promise((resolve) => setTimeout(resolve, STEP_MS));
  }
}
