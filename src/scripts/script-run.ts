import type { ScriptSettings } from "../config/types.ts";
import { workbenchError } from "../errors.ts";
import type { GuestRequest, ModuleUse } from "./engine/engine.ts";
import type { ScriptOwner } from "./fair-queue.ts";
import { RanCalls, type RanCallsRecord } from "./ran-calls.ts";
import { type BudgetUser, ScriptBudget } from "./script-budget.ts";
import type { ScriptText } from "./script-text.ts";
import type { StartCall, StartedCall } from "./started-call.ts";
import type { ScriptThread, ThreadUser } from "./script-thread.ts";
import { Sleeps } from "./sleeps.ts";
import type { PoolUser, ThreadPool } from "./thread-pool.ts";
import type {
  CallAnswer,
  EndKind,
  FromWorker,
  ScriptOutput,
  ScriptState,
} from "./worker/protocol.ts";

const TICK_MS = 100;
/** The engine stops scripts itself, except in loops of its own. */
const GRACE_MS = 500;
/** What is kept of a value, of which the agent gets the beginning. */
export const MAX_KEPT_CHARS = 16 * 1024 * 1024;

export interface ScriptRunOptions extends ScriptText {
  /** What a saved script is run for. */
  readonly use?: ModuleUse;
  /** What it may use together with other scripts. */
  readonly budget?: ScriptBudget;
  readonly owner: ScriptOwner;
  /** The value of `input`, as JSON. */
  readonly input: string;
  readonly results: Readonly<Record<string, string>>;
  readonly settings: ScriptSettings;
  readonly startCall: StartCall;
  readonly signal: AbortSignal;
  /** A call has ended; `count` have by now. */
  readonly onCall?: ((count: number, path: string) => void) | undefined;
}

export type RunEnd =
  | EndKind
  /** `queuedMs` of it was the time before its turn. */
  | { readonly kind: "limit"; readonly limit: "totalMs"; readonly queuedMs: number }
  /** It waited with too much memory while others needed it. */
  | { readonly kind: "evicted" }
  | { readonly kind: "cancelled" };

export interface ScriptReport {
  readonly end: RunEnd;
  readonly output: ScriptOutput;
  readonly calls: RanCalls;
  /** The size of all results of its calls. */
  readonly resultBytes: number;
  readonly ms: number;
  /** Whether other scripts shared its limits. */
  readonly isShared: boolean;
}

/** A script that waits for calls which no server has, as it can be continued in another process. */
export interface SuspendedScript {
  readonly source: string;
  readonly state: ScriptState;
  readonly activeMs: number;
  readonly calls: RanCallsRecord;
}

interface OpenCall {
  readonly path: string;
  call: StartedCall | undefined;
}

const NO_OUTPUT: ScriptOutput = {
  value: undefined,
  valueChars: 0,
  log: "",
  logChars: 0,
  emitted: [],
  cpuMs: 0,
};

/** One script from its start to its end, and the calls it makes. */
export class ScriptRun implements ThreadUser, PoolUser, BudgetUser {
  readonly owner: ScriptOwner;
  readonly #options: ScriptRunOptions;
  readonly #pool: ThreadPool;
  readonly #calls = new RanCalls();
  readonly #open = new Map<number, OpenCall>();
  readonly #sleeps = new Sleeps((id) => this.#answer(id, { kind: "slept" }));
  readonly #startedAt = performance.now();
  #thread: ScriptThread | undefined;
  /** Set while the script waits without a thread. */
  #state: ScriptState | undefined;
  #isSuspending = false;
  /** Whether another client needs the thread, so that the script has to end if it cannot be kept. */
  #isForced = false;
  /** How long it waited for its first thread; undefined while it still does. */
  #queuedMs: number | undefined;
  /** Answers that arrived while the script had no thread. */
  #answers: { readonly id: number; readonly answer: CallAnswer }[] = [];
  #resultBytes = 0;
  readonly #budget: ScriptBudget;
  /** The time that it had computed when it was last in a thread. */
  #cpuMs = 0;
  #questions = 0;
  #activeMs = 0;
  #tickedAt = performance.now();
  #timer: NodeJS.Timeout | undefined;
  #resolve: ((report: ScriptReport) => void) | undefined;
  #onSuspended: ((state: ScriptState | undefined) => void) | undefined;

  constructor(pool: ThreadPool, options: ScriptRunOptions) {
    this.#pool = pool;
    this.#options = options;
    this.owner = options.owner;
    this.#budget = options.budget ?? new ScriptBudget();
  }

  get cpuMs(): number {
    return this.#thread?.cpuMs ?? this.#cpuMs;
  }

  /** Runs the script, or continues one. Rejects if there is no thread for it. */
  async run(suspended?: SuspendedScript): Promise<ScriptReport> {
    const { signal, source, saved, use = "run", input, results, settings } = this.#options;
    const ended = new Promise<ScriptReport>((resolve) => (this.#resolve = resolve));
    const cancel = (): void => this.#finish({ kind: "cancelled" });
    signal.addEventListener("abort", cancel, { once: true });
    this.#timer = setInterval(() => this.#tick(), TICK_MS);
    this.#budget.add(this);
    try {
      signal.throwIfAborted();
      const thread = await this.#pool.take(this, false);
      this.#queuedMs = performance.now() - this.#startedAt;
      if (this.#resolve === undefined) {
        this.#pool.giveBack(thread);
        return await ended;
      }
      if (suspended !== undefined) {
        const { state, activeMs, calls } = suspended;
        this.#activeMs += activeMs;
        this.#calls.restore(calls);
        this.#budget.takeCalls(this.#calls.count, settings.calls);
        this.#resumeIn(thread, state);
        for (const request of state.open) this.#start(request);
        return await ended;
      }
      this.#use(thread);
      const cpuMs = settings.cpuMs - this.#budget.cpuMs;
      if (cpuMs <= 0) {
        this.#finish({ kind: "limit", limit: "cpuMs" });
        return await ended;
      }
      thread.post({
        kind: "start",
        source: saved?.code ?? source,
        module: saved && use,
        input,
        results,
        limits: { ...settings, cpuMs },
        maxKeptChars: Math.max(MAX_KEPT_CHARS, settings.outputChars),
      });
      return await ended;
    } finally {
      this.#budget.end(this);
      clearInterval(this.#timer);
      signal.removeEventListener("abort", cancel);
    }
  }

  /** The user is asked something for a call of the script; the time until the answer does not count. */
  onQuestion(isOpen: boolean): void {
    this.#tick();
    this.#questions += isOpen ? 1 : -1;
  }

  /**
   * Ends the script where it waits, and returns what is needed to continue it in another process.
   * Undefined if it cannot be continued: it computes, or a server has one of its calls. Calls that
   * wait for the user are made again when it continues.
   */
  async suspend(): Promise<SuspendedScript | undefined> {
    if (this.#hasSentCalls()) return undefined;
    const state = this.#state ?? (await this.#suspendThread());
    if (state === undefined) return undefined;
    // An answer may have arrived in the meantime.
    if (this.#hasSentCalls() || this.#answers.length > 0) {
      this.#deliver();
      return undefined;
    }
    const { source } = this.#options;
    const suspended = {
      source,
      state: { ...state, open: this.#sleeps.shortened(state.open) },
      activeMs: this.#activeMs,
      calls: this.#calls.record,
    };
    this.#finish({ kind: "cancelled" });
    return suspended;
  }

  #hasSentCalls(): boolean {
    return Array.from(this.#open.values()).some(({ call }) => call?.isSent() === true);
  }

  onMessage(message: FromWorker): void {
    if (message.kind === "request") this.#start(message.request);
    else if (message.kind === "end") this.#finish(message.end, message.output);
    else this.#onState(message.state);
  }

  onLost(reason: string): void {
    const isMemory = reason.includes("memory limit");
    this.#finish(isMemory ? { kind: "limit", limit: "memoryMb" } : { kind: "broken", reason });
  }

  /** Frees the thread for other scripts if this one waits. */
  yieldThread(isForced: boolean): void {
    const thread = this.#thread;
    const isWaiting = this.#open.size > 0 || this.#sleeps.size > 0;
    if (thread === undefined || this.#isSuspending || thread.isRunning || !isWaiting) return;
    const { memoryMb } = this.#options.settings;
    // Its size is known when it is stopped.
    if (!isForced && !this.#pool.kept.makeRoom(this.owner, memoryMb * 1024 * 1024, memoryMb))
      return;
    this.#isForced = isForced;
    this.#isSuspending = true;
    thread.post({ kind: "suspend" });
  }

  evict(): void {
    this.#finish({ kind: "evicted" });
  }

  #suspendThread(): Promise<ScriptState | undefined> {
    if (this.#thread === undefined) return Promise.resolve(undefined);
    return new Promise((resolve) => {
      this.#onSuspended = resolve;
      if (!this.#isSuspending) this.#thread?.post({ kind: "suspend" });
      this.#isSuspending = true;
    });
  }

  #onState(state: ScriptState | undefined): void {
    const thread = this.#thread;
    if (thread === undefined) return;
    const isForced = this.#isForced;
    this.#isForced = false;
    this.#isSuspending = false;
    if (state !== undefined) {
      this.#state = state;
      this.#cpuMs = state.image.cpuMs;
      this.#thread = undefined;
      const { memoryMb } = this.#options.settings;
      const bytes = state.image.memory.length + state.mediaChars + state.logChars;
      const fits = !isForced || this.#pool.kept.makeRoom(this.owner, bytes, memoryMb);
      if (fits) this.#pool.kept.add(this, bytes);
      this.#pool.giveBack(thread);
      if (!fits) {
        this.evict();
        return;
      }
    }
    const onSuspended = this.#onSuspended;
    this.#onSuspended = undefined;
    onSuspended?.(state);
    if (this.#answers.length > 0) this.#deliver();
  }

  #start({ id, kind, subject: path, args }: GuestRequest): void {
    if (kind === "sleep") {
      this.#sleeps.start(id, Number(path));
      return;
    }
    const { calls } = this.#options.settings;
    if (!this.#budget.takeCalls(1, calls)) {
      const message = `The scripts of this call made more than ${calls} calls in all (setting scripts.calls)`;
      this.#answer(id, { kind: "failure", message, code: "LIMIT" });
      return;
    }
    const open: OpenCall = { path, call: undefined };
    this.#open.set(id, open);
    // It may have its answer at once.
    open.call = this.#options.startCall(path, args, (settled) => {
      const { answer, isFailure, isRefused = false, mayHaveChanged } = settled;
      if (!this.#open.delete(id)) return;
      if (!isRefused) {
        this.#calls.add(path, isFailure, mayHaveChanged);
        this.#options.onCall?.(this.#calls.count, path);
      }
      this.#resultBytes += bytesOf(answer);
      this.#answer(id, answer);
    });
  }

  #answer(id: number, answer: CallAnswer): void {
    this.#answers.push({ id, answer });
    this.#deliver();
  }

  /** Passes on answers; a script without a thread needs one first. */
  #deliver(): void {
    const thread = this.#thread;
    if (this.#isSuspending || this.#resolve === undefined) return;
    if (thread !== undefined) {
      for (const { id, answer } of this.#answers.splice(0))
        thread.post({ kind: "settle", id, answer });
      return;
    }
    const state = this.#state;
    if (state === undefined) return;
    this.#state = undefined;
    this.#pool.take(this, true).then(
      (free) => {
        this.#pool.kept.remove(this);
        if (this.#resolve === undefined) this.#pool.giveBack(free);
        else this.#resumeIn(free, state);
      },
      (error: Error) => this.#finish({ kind: "broken", reason: error.message }),
    );
  }

  #resumeIn(thread: ScriptThread, state: ScriptState): void {
    this.#use(thread, state.image.cpuMs);
    thread.post({ kind: "resume", state });
    this.#deliver();
  }

  #use(thread: ScriptThread, cpuMs = 0): void {
    this.#thread = thread;
    thread.use(this, cpuMs);
  }

  #tick(): void {
    const now = performance.now();
    if (this.#questions === 0) this.#activeMs += now - this.#tickedAt;
    this.#tickedAt = now;
    const { cpuMs, totalMs } = this.#options.settings;
    if (this.#budget.cpuMs > cpuMs + GRACE_MS) this.#finish({ kind: "limit", limit: "cpuMs" });
    else if (this.#activeMs > totalMs) this.#onTimeOver();
    else if (this.#thread !== undefined) this.#pool.askToYield(this);
  }

  #onTimeOver(): void {
    const queuedMs = this.#queuedMs;
    if (queuedMs !== undefined) {
      this.#finish({ kind: "limit", limit: "totalMs", queuedMs });
      return;
    }
    const { totalMs } = this.#options.settings;
    const reason = `others kept it waiting for ${totalMs} ms (setting scripts.totalMs)`;
    this.#pool.withdraw(this, workbenchError("SCRIPTS_BUSY", { reason }));
  }

  #finish(end: RunEnd, output: ScriptOutput = NO_OUTPUT): void {
    const resolve = this.#resolve;
    if (resolve === undefined) return;
    this.#resolve = undefined;
    clearInterval(this.#timer);
    this.#sleeps.clear();
    this.#pool.withdraw(this, new Error("the script was cancelled"));
    this.#onSuspended?.(undefined);
    const thread = this.#thread;
    this.#cpuMs = this.cpuMs;
    this.#thread = undefined;
    if (thread !== undefined) {
      // A script that ended by itself leaves its thread in order; any other is not waited for.
      if (end.kind === "cancelled" || output === NO_OUTPUT) thread.end();
      else thread.post({ kind: "drop" });
      this.#pool.giveBack(thread);
    }
    this.#pool.kept.remove(this);
    this.#state = undefined;
    const reason = end.kind === "cancelled" ? "the script was cancelled" : "the script has ended";
    const open = [...this.#open.values()];
    this.#open.clear();
    for (const { path, call } of open) {
      this.#calls.addOpen(path, call?.mayHaveChanged() === true);
      call?.cancel(reason);
    }
    this.#calls.addUnsent(output.unsent ?? 0);
    resolve({
      end,
      output,
      calls: this.#calls,
      resultBytes: this.#resultBytes,
      ms: performance.now() - this.#startedAt,
      isShared: this.#budget.isShared,
    });
  }
}

function bytesOf(answer: CallAnswer): number {
  if (answer.kind === "slept") return 0;
  if (answer.kind === "failure") return answer.message.length;
  return answer.pieces.reduce((sum, piece) => sum + Buffer.byteLength(piece), 0);
}
