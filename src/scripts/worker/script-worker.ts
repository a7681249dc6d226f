/** The thread that runs scripts, one at a time. It is started, and ended, by `ScriptThread`. */
import { parentPort, workerData } from "node:worker_threads";

import { ScriptSyntaxError } from "../engine/engine.ts";
import { QuickJsEngine } from "../engine/quickjs-engine.ts";
import { startScript } from "../engine/start-script.ts";
import { readEngine } from "../engine/wasm-module.ts";
import { GuestSession } from "./guest-session.ts";
import {
  type FromWorker,
  SHARED,
  type ScriptState,
  type StartMessage,
  type ToWorker,
  sharedNow,
} from "./protocol.ts";

const port = parentPort;
if (port === null) throw new Error("script-worker.ts runs in a thread");
const shared = new BigInt64Array(workerData as SharedArrayBuffer);
let session: GuestSession | undefined;
let wasm: WebAssembly.Module | undefined;

const post = (message: FromWorker): void => {
  const state = message.kind === "suspended" ? message.state : undefined;
  port.postMessage(message, state === undefined ? [] : [state.image.memory.buffer]);
};
const enter = (): void => void Atomics.store(shared, SHARED.enteredAt, sharedNow());
const leave = (): void => {
  const spent = sharedNow() - Atomics.load(shared, SHARED.enteredAt);
  Atomics.add(shared, SHARED.usedMs, spent);
  Atomics.store(shared, SHARED.enteredAt, 0n);
};

async function start(message: StartMessage): Promise<void> {
  const { limits, maxKeptChars } = message;
  const created = new GuestSession({ limits, maxKeptChars, post, onEnter: enter, onLeave: leave });
  session = created;
  try {
    const engine = await QuickJsEngine.create((wasm ??= readEngine()), limits, created);
    created.attach(engine);
    created.report(await startScript(engine, message, measure));
  } catch (error) {
    if (error instanceof ScriptSyntaxError) {
      const { name, message: text, stackText } = error;
      created.report({ kind: "error", error: { name, message: text, stack: stackText } });
    } else created.reportBroken(error instanceof Error ? error.message : String(error));
  }
}

function measure<T>(run: () => T): T {
  enter();
  try {
    return run();
  } finally {
    leave();
  }
}

async function resume(state: ScriptState): Promise<void> {
  const { limits, maxKeptChars, image } = state;
  const options = { limits, maxKeptChars, post, onEnter: enter, onLeave: leave };
  const created = new GuestSession(options, state);
  session = created;
  try {
    created.attach(await QuickJsEngine.restore((wasm ??= readEngine()), image, limits, created));
  } catch (error) {
    created.reportBroken(error instanceof Error ? error.message : String(error));
  }
}

/** One message after the other, although starting takes time. */
let last: Promise<void> = Promise.resolve();
port.on("message", (message: ToWorker) => {
  last = last.then(() => handle(message));
});

function handle(message: ToWorker): Promise<void> | void {
  switch (message.kind) {
    case "start":
      return start(message);
    case "resume":
      return resume(message.state);
    case "settle":
      session?.settle(message.id, message.answer);
      return;
    case "suspend":
      post({ kind: "suspended", state: session?.suspend() });
      return;
    case "drop":
      session?.close();
      session = undefined;
  }
}
