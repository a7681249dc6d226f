import { randomBytes } from "node:crypto";

import { Intrinsics, JSException, type JSValueHandle, QuickJS } from "quickjs-wasi";

import { PREFIX_LINES, SCRIPT_NAME, SCRIPT_PREFIX } from "../script-position.ts";
import { SCRIPT_SUFFIX, withoutHashbang } from "./wrapped-script.ts";
import { compileModule, evalAtLine } from "./eval-at-line.ts";
import { PRELUDE } from "./prelude.ts";
import {
  type EngineHost,
  type EngineImage,
  type EngineLimits,
  type GuestAnswer,
  type GuestError,
  type GuestRequest,
  type ModuleUse,
  type ScriptEnd,
  type ScriptEngine,
  ScriptSyntaxError,
  type ScriptStart,
} from "./engine.ts";

const FIRST_LINE = 1 - PREFIX_LINES;

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

const SURPLUS_BRACE = "The script closes a brace or parenthesis that it did not open";
/** What the engine, or the thread around it, reports if it runs out of memory or of stack. */
const MEMORY_FAILURE = /out of memory|malloc|\[uninitialized\]/i;
const STACK_FAILURE = /Maximum call stack size|memory access out of bounds/;

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

  start({ source, input, results, module }: ScriptStart): ScriptEnd | undefined {
    const vm = this.#vm;
    let begin: () => void;
    try {
      begin = this.#measure(() =>
        module === undefined ? this.#compile(source) : this.#compileModule(source, module),
      );
    } catch (error) {
      if (error instanceof JSException && error.name === "SyntaxError")
        throw new ScriptSyntaxError(error.message, error.stack ?? "");
      if (this.#clock.isOver || !(error instanceof JSException)) return this.#endBy(error);
      const { name, message, stack = "" } = error;
      const isDeep = name === "RangeError";
      return {
        kind: "error",
        error: { name, message: isDeep ? "The script is nested too deeply" : message, stack },
      };
    }
    return this.#enter(() => {
      const texts = vm.newObject();
      for (const [id, text] of Object.entries(results)) {
        const value = this.#text(text);
        texts.setProp(id, value);
        value.dispose();
      }
      const isModule = module === undefined ? 0 : 1;
      const code = module === undefined ? source.slice(SCRIPT_PREFIX.length) : source;
      this.#callGuest(
        "prepare",
        this.#text(input),
        texts,
        vm.newNumber(isModule),
        this.#text(code),
      );
      begin();
    });
  }

  /** Compiles the body of a function. The function that it returns calls it. */
  #compile(code: string): () => void {
    if (!isOneFunction(this.#vm, code)) throw new ScriptSyntaxError(SURPLUS_BRACE, "");
    const run = evalAtLine(this.#vm, { code, filename: SCRIPT_NAME, line: FIRST_LINE });
    return () => this.#callGuest("begin", run);
  }

  #compileModule(source: string, use: ModuleUse): () => void {
    const code = "\n".repeat(PREFIX_LINES) + withoutHashbang(source);
    const evaluate = compileModule(this.#vm, { code, filename: SCRIPT_NAME, line: FIRST_LINE });
    return () => {
      const { evaluated, exports } = evaluate();
      this.#callGuest("beginModule", evaluated, exports, this.#vm.newString(use));
    };
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
      handle?.isString === true ? stringOf(handle) : "";
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
              ? { kind: "value", text: isString ? stringOf(value) : undefined, ...more }
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
      return this.#endBy(error);
    }
    // A script may have caught the error of a limit, or replaced it, but it has not ended well.
    if (this.#clock.isOver) return { kind: "limit", limit: "cpuMs" };
    if (this.#end !== undefined) return this.#end;
    return this.#sent === this.#settled ? { kind: "stalled" } : undefined;
  }

  /** How a script ended that the engine gave up. Throws what is not the fault of the script. */
  #endBy(error: unknown): ScriptEnd {
    if (this.#clock.isOver) return { kind: "limit", limit: "cpuMs" };
    const text = String(error);
    if (MEMORY_FAILURE.test(text)) return { kind: "limit", limit: "memoryMb" };
    if (!STACK_FAILURE.test(text)) throw error;
    const message = "The script recursed too deeply";
    return { kind: "error", error: { name: "RangeError", message, stack: "" } };
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

  /** A string in the sandbox. Throws if there is no memory for it. */
  #text(text: string): JSValueHandle {
    const handle = this.#vm.newString(text);
    if (!handle.isString) throw new Error("out of memory");
    return handle;
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

/** The text of a string. The package loses a byte order mark at its beginning. */
function stringOf(handle: JSValueHandle): string {
  const text = handle.toString();
  const length = handle.getProp("length");
  const isWhole = length.toNumber() === text.length;
  length.dispose();
  return isWhole ? text : `\ufeff${text}`;
}

/**
 * Whether the script stays inside the function around it, or cannot be parsed at all. Nothing is
 * executed: a name that the script cannot know is declared twice, before and after the script. The
 * engine refuses that exactly if both are in the same block.
 */
function isOneFunction(vm: QuickJS, source: string): boolean {
  const declaration = `let $${randomBytes(8).toString("hex")};`;
  const body = source.slice(SCRIPT_PREFIX.length, -SCRIPT_SUFFIX.length);
  const twice = `${SCRIPT_PREFIX}${declaration}${body}\n;${declaration}${SCRIPT_SUFFIX}`;
  const reason = compileFailure(vm, twice);
  if (reason?.includes("redefinition of lexical identifier") === true) return true;
  return compileFailure(vm, source) !== undefined;
}

function compileFailure(vm: QuickJS, source: string): string | undefined {
  try {
    vm.compile(source, SCRIPT_NAME);
    return undefined;
  } catch (error) {
    return String(error);
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
