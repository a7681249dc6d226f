import { EXIT } from "../../errors.ts";
import type { Workbench } from "../../workbench/workbench.ts";
import { exitAfter } from "../core/exit-after.ts";

const END_SIGNALS = ["SIGTERM", "SIGINT", "SIGHUP"] as const;

/** Resolves at the first signal; a second one exits as soon as no token is about to be stored. */
export function endSignal(workbench: Workbench): Promise<void> {
  process.once("exit", () => workbench.kill());
  // By default Node opens its debugger on this signal, and the debugger does not require a token.
  process.on("SIGUSR1", () => {});
  return new Promise((resolve) => {
    let asked = false;
    const end = (): void => {
      if (asked || workbench.closing) return exitAfter([() => workbench.host.close()], EXIT.ok);
      asked = true;
      // Stopping waits for calls in progress; only a person wants to know.
      if (process.stdin.isTTY && process.stderr.isTTY) process.stderr.write("Stopping…\n");
      resolve();
    };
    for (const signal of END_SIGNALS) process.on(signal, end);
  });
}
