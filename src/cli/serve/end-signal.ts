import { EXIT } from "../../errors.ts";
import type { Workbench } from "../../workbench/workbench.ts";
import { exitAfter } from "../core/exit-after.ts";
import { ignoreDebuggerSignal } from "./debugger-signal.ts";

const END_SIGNALS = ["SIGTERM", "SIGINT", "SIGHUP"] as const;

/** Resolves at the first signal; a second one exits as soon as no token is about to be stored. */
export function endSignal(workbench: Workbench): Promise<void> {
  process.once("exit", () => workbench.kill());
  ignoreDebuggerSignal();
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
