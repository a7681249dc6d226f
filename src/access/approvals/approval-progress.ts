import type { ClientCall } from "../../calls/call.ts";

const EVERY_MS = 10_000;
/** Progress must increase, and that of the server follows. */
const STEP = 1e-9;

/** Reports to a client that asked for progress that its call waits for the user, until it is stopped. */
export function reportWaiting(call: Pick<ClientCall, "progressToken" | "caller">): () => void {
  const { progressToken, caller } = call;
  if (progressToken === undefined) return () => {};
  let count = 0;
  const timer = setInterval(() => {
    count += 1;
    const params = { progress: count * STEP, message: "Waiting for the approval of the user" };
    caller.onProgress(call as ClientCall, { method: "notifications/progress", params });
  }, EVERY_MS);
  return () => clearInterval(timer);
}
