import { clientOf } from "../../audit/entry.ts";
import { recordedOutcome } from "../../audit/recorded-outcome.ts";
import { isAudited, subjectOf } from "../../audit/subject.ts";
import type { CallObserver, ClientCall } from "../../calls/call.ts";
import type { Outcome } from "../../calls/outcome.ts";
import type { Redact } from "../../secrets/redact.ts";
import { redactStart } from "../../secrets/redact-start.ts";
import { cut } from "../../text/truncate.ts";
import { outcomeTokens, tokensIn } from "../../workbench/accounting/text-tokens.ts";
import type { CallDetail, LiveCall } from "../contract.ts";
import { type Payloads, payloadsOf } from "./payloads.ts";

const MAX_CALLS = 500;
/** Payloads may be large, so only those of the last calls are kept. */
const MAX_PAYLOADS = 50;
const MAX_NAME_CHARS = 128;

/** A call as it is kept. */
interface Seen {
  readonly number: number;
  readonly began: number;
  shown: LiveCall;
  payloads: Payloads | undefined;
}

export interface LiveCallOptions {
  /** Whether arguments and results are kept. */
  readonly keepsPayloads: () => boolean;
  readonly redact: Redact;
  readonly onChange: (call: LiveCall) => void;
  readonly now?: () => number;
}

/** The calls of all clients, while a dashboard is open. */
export class LiveCalls implements CallObserver {
  readonly #options: LiveCallOptions;
  readonly #now: () => number;
  readonly #running = new WeakMap<ClientCall, Seen>();
  /** The oldest first. */
  #calls: Seen[] = [];
  /** Those with payloads, in the order in which they ended. */
  #withPayloads: Seen[] = [];
  #number = 0;
  since: number;

  constructor(options: LiveCallOptions) {
    this.#options = options;
    this.#now = options.now ?? Date.now;
    this.since = this.#now();
  }

  /** The most recent calls first. */
  get all(): readonly LiveCall[] {
    return this.#calls.map(({ shown }) => shown).toReversed();
  }

  find(id: string): CallDetail | undefined {
    const seen = this.#calls.find(({ shown }) => shown.id === id);
    if (seen === undefined) return undefined;
    const hasPayloads = this.#options.keepsPayloads();
    // The setting may have changed since the call.
    const payloads = hasPayloads ? seen.payloads : undefined;
    const { arguments: args = null, result = null } = payloads ?? {};
    return { ...seen.shown, hasPayloads, arguments: args, result };
  }

  clear(): void {
    this.#calls = [];
    this.#withPayloads = [];
    this.since = this.#now();
  }

  onStarted(call: ClientCall): void {
    if (isAudited(call)) this.#keep(call);
  }

  onSettled(call: ClientCall, outcome: Outcome): Outcome {
    // Some calls are known to concern a server only when they have been routed.
    const seen = this.#running.get(call) ?? (isAudited(call) ? this.#keep(call) : undefined);
    this.#running.delete(call);
    const durationMs = seen && Math.round((performance.now() - seen.began) * 10) / 10;
    // The client does not wait for what is counted here.
    if (seen !== undefined) setImmediate(() => this.#end(seen, call, outcome, durationMs ?? 0));
    return outcome;
  }

  #keep(call: ClientCall): Seen {
    const number = ++this.#number;
    const parent = call.parent && this.#running.get(call.parent);
    const { kind, name } = call.principal;
    const shown: LiveCall = {
      id: String(number),
      parent: parent?.shown.id ?? null,
      startedAt: new Date(this.#now()).toISOString(),
      principal: { kind, name },
      client: clientOf(call) ?? null,
      method: cut(call.method, MAX_NAME_CHARS),
      ...this.#placeOf(call),
      state: "running",
      durationMs: null,
      bytesIn: Buffer.byteLength(call.request.text),
      bytesOut: null,
      tokensIn: 0,
      tokensOut: null,
      code: null,
    };
    const seen: Seen = { number, began: performance.now(), shown, payloads: undefined };
    this.#running.set(call, seen);
    this.#calls.push(seen);
    if (this.#calls.length > 2 * MAX_CALLS) this.#calls = this.#calls.slice(-MAX_CALLS);
    this.#options.onChange(shown);
    return seen;
  }

  #end(seen: Seen, call: ClientCall, outcome: Outcome, durationMs: number): void {
    const { outcome: state, code, bytesOut } = recordedOutcome(call, outcome);
    const { keepsPayloads, redact, onChange } = this.#options;
    seen.shown = {
      ...seen.shown,
      ...this.#placeOf(call),
      state,
      durationMs,
      bytesOut: bytesOut ?? null,
      tokensIn: tokensIn(call.request.text),
      tokensOut: outcomeTokens(outcome),
      code: code ?? null,
    };
    if (keepsPayloads()) {
      seen.payloads = payloadsOf(call, outcome, redact);
      this.#withPayloads.push(seen);
      const old = this.#withPayloads.length > MAX_PAYLOADS ? this.#withPayloads.shift() : undefined;
      if (old !== undefined) old.payloads = undefined;
    }
    onChange(seen.shown);
  }

  #placeOf(call: ClientCall): Pick<LiveCall, "toolbox" | "server" | "subject"> {
    const { toolbox = null, server = null, tool, prompt } = subjectOf(call);
    // The URI of a resource may contain a secret.
    const subject = redactStart(this.#options.redact, tool ?? prompt ?? call.subject);
    return { toolbox, server, subject: cut(subject, MAX_NAME_CHARS) };
  }
}
