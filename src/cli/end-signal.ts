import { EXIT } from "../errors.ts";
import type { Workbench } from "../workbench/workbench.ts";

const END_SIGNALS = ["SIGTERM", "SIGINT", "SIGHUP"] as const;

/** Resolves at the first signal; a later one ends all servers and the program at once. */
export function endSignal(workbench: Workbench): Promise<void> {
  process.once("exit", () => workbench.kill());
  // Otherwise Node takes it as a request to open its debugger, which asks nobody for a token.
  process.on("SIGUSR1", () => {});
  return new Promise((resolve) => {
    let asked = false;
    const end = (): void => {
      if (asked || workbench.closing) process.exit(EXIT.ok);
      asked = true;
      resolve();
    };
    for (const signal of END_SIGNALS) process.on(signal, end);
  });
}
