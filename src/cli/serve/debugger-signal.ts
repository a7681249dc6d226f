/**
 * By default Node opens its debugger on SIGUSR1. It does not require a token, and its port is open to all users of
 * the machine.
 */
export function ignoreDebuggerSignal(): void {
  if (process.listenerCount("SIGUSR1") === 0) process.on("SIGUSR1", () => {});
}
