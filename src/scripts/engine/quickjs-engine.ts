import { Intrinsics, JSException, type JSValueHandle, QuickJS } from "quickjs-wasi";

import { PREFIX_LINES, SCRIPT_NAME, SCRIPT_PREFIX } from "../script-position.ts";
import { evalAtLine } from "./eval-at-line.ts";
import { PRELUDE } from "./prelude.ts";
import {
  type EngineHost,
  type EngineImage,
  type EngineLimits,
  type GuestAnswer,
  type GuestError,
  type GuestRequest,
  type ScriptEnd,
  type ScriptEngine,
  ScriptSyntaxError,
  type ScriptStart,
} from "./engine.ts";

const SCRIPT_SUFFIX = "\n})";

const MEGABYTE = 1024 * 1024;
/** The engine checks its own stack. The stack of the thread must be large enough for that. */
const MAX_STACK_BYTES = 128 * 1024;
const INTRINSICS =
  Intrinsics.DATE |
  Intrinsics.EVAL |
  Intrinsics.REGEXP |
  Intrinsics.JSON |
  Intrinsics.PROXY |
  Intrinsics.MAP_SET |
  Intrinsics.TYPED_ARRAYS |
  Intrinsics.PROMISE |
  Intrinsics.BIG_INT |
  Intrinsics.ATOB_BTOA;

/** The script as the engine gets it. */
export function wrapped(source: string): string {
  return `${SCRIPT_PREFIX}${source}${SCRIPT_SUFFIX}`;
}

/** A script in QuickJS, compiled to WebAssembly. */
export class QuickJsEngine implements ScriptEngine {
  readonly #vm: QuickJS;
  readonly #host: EngineHost;
  readonly #limits: EngineLimits;
  readonly #clock: Clock;
  /** The object that the prelude returns. */
  #guest: JSValueHandle | undefined;
  #sent = 0;
  #settled = 0;
  #end: ScriptEnd | undefined;

  private constructor(vm: QuickJS, host: EngineHost, limits: EngineLimits, clock: Clock) {
    this.#vm = vm;
    this.#host = host;
    this.#limits = limits;
    this.#clock = clock;
  }

  static async create(
    wasm: WebAssembly.Module,
    limits: EngineLimits,
    host: EngineHost,
  ): Promise<QuickJsEngine> {
    const clock = new Clock(limits.cpuMs);
    const vm = await QuickJS.create(optionsFor(wasm, limits, clock));
    const engine = new QuickJsEngine(vm, host, limits, clock);
    engine.#install();
    return engine;
  }

  static async restore(
    wasm: WebAssembly.Module,
    image: EngineImage,
    limits: EngineLimits,
    host: EngineHost,
  ): Promise<QuickJsEngine> {
    const { memory, numbers, cpuMs } = image;
    const [stackPointer = 0, runtimePtr = 0, contextPtr = 0, guest = 0, sent = 0, settled = 0] =
      numbers;
    const clock = new Clock(limits.cpuMs, cpuMs);
    const vm = await QuickJS.restore(
      { memory, stackPointer, runtimePtr, contextPtr, extensions: [] },
      optionsFor(wasm, limits, clock),
    );
    const engine = new QuickJsEngine(vm, host, limits, clock);
    for (const [name, callback] of engine.#callbacks()) vm.registerHostCallback(name, callback);
    engine.#guest = vm.importHandle(guest);
    engine.#sent = sent;
    engine.#settled = settled;
    return engine;
  }

  get cpuMs(): number {
    return this.#clock.usedMs;
  }

  start({ source, input, results }: ScriptStart): ScriptEnd | undefined {
    const vm = this.#vm;
    let run: JSValueHandle;
    try {
      run = this.#measure(() => evalAtLine(vm, source, SCRIPT_NAME, 1 - PREFIX_LINES));
    } catch (error) {
      if (!(error instanceof JSException) || error.name !== "SyntaxError") throw error;
      throw new ScriptSyntaxError(error.message, error.stack ?? "");
    }
    return this.#enter(() => {
      const texts = vm.newObject();
      for (const [id, text] of Object.entries(results)) {
        const value = vm.newString(text);
        texts.setProp(id, value);
        value.dispose();
      }
      this.#callGuest("begin", run, vm.newString(input), texts);
    });
  }

  settle(id: number, { kind, text }: GuestAnswer): ScriptEnd | undefined {
    const vm = this.#vm;
    this.#settled++;
    return this.#enter(() =>
      this.#callGuest("settle", vm.newNumber(id), vm.newString(kind), vm.newString(text)),
    );
  }

  image(): EngineImage {
    const { memory, stackPointer, runtimePtr, contextPtr } = this.#vm.snapshot();
    const guest = this.#guest === undefined ? 0 : this.#vm.exportHandle(this.#guest);
    const numbers = [stackPointer, runtimePtr, contextPtr, guest, this.#sent, this.#settled];
    return { memory: memory as Uint8Array<ArrayBuffer>, numbers, cpuMs: this.cpuMs };
  }

  dispose(): void {
    this.#vm.dispose();
  }

  #install(): void {
    const vm = this.#vm;
    const { calls, parallel } = this.#limits;
    const prelude = vm.evalCode(PRELUDE, "prelude");
    const callbacks = this.#callbacks().map(([name, callback]) => vm.newFunction(name, callback));
    const limits = [vm.newNumber(calls), vm.newNumber(parallel)];
    this.#guest = vm.callFunction(prelude, vm.undefined, ...callbacks, ...limits);
  }

  /** Callbacks never throw: the script would see where the files of the host are. */
  #callbacks(): [string, (...args: JSValueHandle[]) => JSValueHandle][] {
    const vm = this.#vm;
    const text = (handle: JSValueHandle | undefined): string =>
      handle?.isString === true ? handle.toString() : "";
    return [
      [
        "send",
        (id, kind, subject, args) => {
          // The prelude keeps to both limits; a script must not depend on that.
          const isOpen = this.#sent - this.#settled < this.#limits.parallel;
          if (id?.isNumber !== true || !isOpen) return vm.undefined;
          this.#sent++;
          this.#host.onRequest({
            id: id.toNumber(),
            kind: text(kind) as GuestRequest["kind"],
            subject: text(subject),
            args: text(args),
          });
          return vm.undefined;
        },
      ],
      [
        "log",
        (line) => {
          this.#host.onLog(text(line));
          return vm.undefined;
        },
      ],
      ["emit", (media) => vm.newString(this.#host.onEmit(text(media)) ?? "")],
      [
        "done",
        (ok, value, queued) => {
          const unsent = queued?.isNumber === true ? queued.toNumber() : 0;
          const more = unsent > 0 ? { unsent } : {};
          const isString = value?.isString === true;
          this.#end ??=
            ok?.toBoolean() === true
              ? { kind: "value", text: isString ? value.toString() : undefined, ...more }
              : { kind: "error", error: JSON.parse(text(value)) as GuestError, ...more };
          return vm.undefined;
        },
      ],
    ];
  }

  /** Runs the script until it ends or waits for answers. */
  #enter(begin: () => void): ScriptEnd | undefined {
    try {
      this.#measure(() => {
        begin();
        this.#vm.executePendingJobs();
      });
    } catch (error) {
      // A script may have caught the error of a limit, or replaced it, but it has not ended well.
      if (!this.#clock.isOver) {
        const isMemory =
          String(error).includes("out of memory") || String(error).includes("malloc");
        if (!isMemory) throw error;
        return { kind: "limit", limit: "memoryMb" };
      }
    }
    if (this.#clock.isOver) return { kind: "limit", limit: "cpuMs" };
    if (this.#end !== undefined) return this.#end;
    return this.#sent === this.#settled ? { kind: "stalled" } : undefined;
  }

  #measure<T>(run: () => T): T {
    this.#host.onEnter();
    this.#clock.start();
    try {
      return run();
    } finally {
      this.#clock.stop();
      this.#host.onLeave();
    }
  }

  #callGuest(name: string, ...args: JSValueHandle[]): void {
    const vm = this.#vm;
    if (this.#guest === undefined) throw new Error("the sandbox is not ready");
    const method = this.#guest.getProp(name);
    try {
      vm.callFunction(method, vm.undefined, ...args).dispose();
    } finally {
      method.dispose();
      for (const arg of args) arg.dispose();
    }
  }
}

type CreateOptions = Exclude<Parameters<typeof QuickJS.create>[0], undefined>;

function optionsFor(
  wasm: WebAssembly.Module,
  { memoryMb }: EngineLimits,
  clock: Clock,
): CreateOptions {
  return {
    wasm,
    memoryLimit: memoryMb * MEGABYTE,
    maxStackSize: MAX_STACK_BYTES,
    intrinsics: INTRINSICS,
    interruptHandler: () => clock.check(),
    // What the engine itself prints would end up between the messages of a client.
    wasi: () => ({ fd_write: () => 0 }),
  };
}

/** The time that a script runs; waiting for answers does not count. */
class Clock {
  readonly #limitMs: number;
  usedMs: number;
  /** Undefined while the script does not run. */
  #startedAt: number | undefined;
  isOver = false;

  constructor(limitMs: number, usedMs = 0) {
    this.#limitMs = limitMs;
    this.usedMs = usedMs;
  }

  start(): void {
    this.#startedAt = performance.now();
  }

  stop(): void {
    this.usedMs += this.#runningMs;
    this.#startedAt = undefined;
    if (this.usedMs > this.#limitMs) this.isOver = true;
  }

  /** Whether the script has to be stopped now. */
  check(): boolean {
    if (this.usedMs + this.#runningMs > this.#limitMs) this.isOver = true;
    return this.isOver;
  }

  get #runningMs(): number {
    return this.#startedAt === undefined ? 0 : performance.now() - this.#startedAt;
  }
}
