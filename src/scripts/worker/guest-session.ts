import type {
  EmitProblem,
  EngineHost,
  EngineLimits,
  GuestAnswer,
  GuestRequest,
  ScriptEnd,
  ScriptEngine,
} from "../engine/engine.ts";
import { callValue, failure } from "./call-value.ts";
import type { CallAnswer, FromWorker, ScriptOutput, ScriptState } from "./protocol.ts";

/** More than this is not kept of what a script prints. */
const MAX_LOG_CHARS = 1024 * 1024;
/** Larger results do not enter the sandbox. */
const MAX_RESULT_BYTES = 16 * 1024 * 1024;
/** The media blocks of a script, as text. */
const MAX_MEDIA_CHARS = 64 * 1024 * 1024;
/** The same for those that it adds to its result; it may add one several times. */
const MAX_EMITTED_CHARS = 8 * 1024 * 1024;

export interface GuestSessionOptions {
  readonly limits: EngineLimits;
  readonly maxKeptChars: number;
  readonly post: (message: FromWorker) => void;
  readonly onEnter: () => void;
  readonly onLeave: () => void;
}

/** What belongs to one script in its thread: the engine, its open requests, its output, its media. */
export class GuestSession implements EngineHost {
  readonly #options: GuestSessionOptions;
  #engine: ScriptEngine | undefined;
  readonly #open = new Map<number, GuestRequest>();
  readonly #log: string[] = [];
  #logChars = 0;
  #droppedChars = 0;
  readonly #media = new Map<string, string>();
  #mediaChars = 0;
  readonly #emitted: string[] = [];
  #emittedChars = 0;

  constructor(options: GuestSessionOptions, state?: ScriptState) {
    this.#options = options;
    if (state === undefined) return;
    for (const request of state.open) this.#open.set(request.id, request);
    this.#log.push(...state.log);
    this.#logChars = state.logChars;
    this.#droppedChars = state.droppedChars;
    for (const [id, block] of state.media) this.#media.set(id, block);
    this.#mediaChars = state.mediaChars;
    this.#emitted.push(...state.emitted);
    for (const { length } of state.emitted) this.#emittedChars += length;
  }

  attach(engine: ScriptEngine): void {
    this.#engine = engine;
  }

  onEnter(): void {
    this.#options.onEnter();
  }

  onLeave(): void {
    this.#options.onLeave();
  }

  onRequest(request: GuestRequest): void {
    this.#open.set(request.id, request);
    this.#options.post({ kind: "request", request });
  }

  onLog(text: string): void {
    const left = MAX_LOG_CHARS - this.#logChars;
    const kept = text.slice(0, Math.max(0, left));
    this.#droppedChars += text.length - kept.length;
    if (left <= 0) return;
    this.#log.push(kept);
    this.#logChars += kept.length + 1;
  }

  onEmit(media: string): EmitProblem | undefined {
    const block = this.#media.get(media);
    if (block === undefined) return "unknown";
    if (this.#emittedChars + block.length > MAX_EMITTED_CHARS) return "too large";
    this.#emittedChars += block.length;
    this.#emitted.push(block);
    return undefined;
  }

  settle(id: number, answer: CallAnswer): void {
    const request = this.#open.get(id);
    if (request !== undefined) this.#answer(id, this.#valueOf(answer, request.kind === "raw"));
  }

  /** Reports the end of the script, if it has one. */
  report(end: ScriptEnd | undefined): void {
    if (end === undefined) return;
    const value = end.kind === "value" ? end.text : undefined;
    const unsent = end.kind === "value" || end.kind === "error" ? end.unsent : undefined;
    this.#options.post({
      kind: "end",
      end: end.kind === "value" ? { kind: "value" } : end,
      output: { ...this.#output(value), ...(unsent !== undefined && { unsent }) },
    });
    this.close();
  }

  reportBroken(reason: string): void {
    this.#options.post({ kind: "end", end: { kind: "broken", reason }, output: this.#output() });
    this.close();
  }

  /** The state of the script; undefined if it cannot be continued elsewhere. */
  suspend(): ScriptState | undefined {
    if (this.#engine === undefined) return undefined;
    const { limits, maxKeptChars } = this.#options;
    const state = {
      image: this.#engine.image(),
      limits,
      maxKeptChars,
      open: [...this.#open.values()],
      log: this.#log,
      logChars: this.#logChars,
      droppedChars: this.#droppedChars,
      media: [...this.#media],
      mediaChars: this.#mediaChars,
      emitted: this.#emitted,
    };
    this.close();
    return state;
  }

  close(): void {
    this.#engine?.dispose();
    this.#engine = undefined;
  }

  #answer(id: number, answer: GuestAnswer): void {
    const engine = this.#engine;
    if (engine === undefined) return;
    this.#open.delete(id);
    try {
      this.report(engine.settle(id, answer));
    } catch (error) {
      this.reportBroken(error instanceof Error ? error.message : String(error));
    }
  }

  #valueOf(answer: CallAnswer, raw: boolean): GuestAnswer {
    if (answer.kind === "slept") return { kind: "json", text: "null" };
    if (answer.kind === "failure") return failure(answer.message, answer.code);
    const bytes = answer.pieces.reduce((sum, piece) => sum + piece.length, 0);
    if (bytes > MAX_RESULT_BYTES)
      return failure(`The result is too large for a script: ${bytes} bytes`, "LIMIT");
    const text = Buffer.concat(
      answer.pieces.map((piece) => Buffer.from(piece as string)),
    ).toString();
    try {
      return callValue(text, (block) => this.#keep(block), raw);
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      return failure(`The result cannot be used: ${reason}`);
    }
  }

  #keep(block: string): string {
    this.#mediaChars += block.length;
    if (this.#mediaChars > MAX_MEDIA_CHARS)
      throw new Error(`the script has more than ${MAX_MEDIA_CHARS} characters of media`);
    const id = `m${this.#media.size + 1}`;
    this.#media.set(id, block);
    return id;
  }

  #output(value?: string): ScriptOutput {
    const max = this.#options.maxKeptChars;
    const log = this.#log.join("\n");
    return {
      value: value !== undefined && value.length > max ? value.slice(0, max) : value,
      valueChars: value?.length ?? 0,
      log,
      logChars: log.length + this.#droppedChars,
      emitted: this.#emitted,
      cpuMs: this.#engine?.cpuMs ?? 0,
    };
  }
}
