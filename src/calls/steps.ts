import type { ClientCall, Step } from "./call.ts";
import { type Outcome, failure } from "./outcome.ts";
import { settle } from "./settle.ts";

/** Runs the steps around a call, nested in order; `send` is the innermost. */
export async function runSteps(
  call: ClientCall,
  steps: readonly Step[],
  send: () => void,
): Promise<void> {
  const passFrom = (index: number): Promise<Outcome> => {
    const step = steps[index];
    if (call.cancelled !== undefined)
      return Promise.resolve({ kind: "cancelled", ...call.cancelled });
    if (step === undefined)
      return new Promise((resolve) => {
        call.onReturn = resolve;
        send();
      });
    return step(
      call,
      once(() => passFrom(index + 1)),
    );
  };
  settle(call, await passFrom(0).catch(failure));
}

function once(run: () => Promise<Outcome>): () => Promise<Outcome> {
  let hasRun = false;
  return () => {
    // A call that is sent twice would be executed twice.
    if (hasRun) return Promise.reject(new Error("a step called next() twice"));
    hasRun = true;
    return run();
  };
}
