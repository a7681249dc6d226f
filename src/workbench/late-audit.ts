import type { Auditor } from "../audit/auditor.ts";
import type { CallObserver, ClientCall, Step } from "../calls/call.ts";
import { type Outcome, failure } from "../calls/outcome.ts";
import { NumberedTable } from "../calls/numbered-table.ts";
import type { AuditSettings, WorkbenchSettings } from "../config/types.ts";
import { reasonOf, workbenchError } from "../errors.ts";
import type { WorkbenchHost } from "./workbench-host.ts";

export interface LateAuditContext {
  readonly host: Pick<WorkbenchHost, "log" | "redact">;
  readonly settings: Pick<WorkbenchSettings, "audit">;
}

/** A call in progress: its number, and when it began. */
interface Begun {
  readonly call: ClientCall;
  readonly number: number;
  readonly at: number;
}

type Ended = Parameters<Auditor["record"]>[0];

/** Whether calls are recorded; `byDefault` if the setting does not say. */
export function isAuditOn({ enabled, required }: AuditSettings, byDefault: boolean): boolean {
  return enabled ?? (required || byDefault);
}

/** The step that refuses calls which cannot be recorded, if the log is required. */
export function auditStep(audit: LateAudit): Step {
  return async (call, next) => (await audit.refusal(call)) ?? next();
}

/** Calls that ended before the auditor was loaded, which takes milliseconds. */
const MAX_EARLY = 1000;

/**
 * Records calls in the audit log. Everything that writes is loaded with the first call; until then,
 * ended calls are kept here.
 */
export class LateAudit implements CallObserver {
  readonly #context: LateAuditContext;
  readonly #begun = new NumberedTable<Begun>();
  /** Calls that were recorded when the workbench ended, although they had not. */
  readonly #cutOff = new WeakSet<ClientCall>();
  #early: Ended[] = [];
  #calls = 0;
  #auditor: Auditor | undefined;
  #loading: Promise<Auditor> | undefined;

  constructor(context: LateAuditContext) {
    this.#context = context;
  }

  onStarted(call: ClientCall): void {
    this.#begun.set(call.serial, { call, number: ++this.#calls, at: performance.now() });
    if (this.#auditor === undefined) this.load().catch(() => {});
  }

  onSettled(call: ClientCall, outcome: Outcome): Outcome {
    if (this.#cutOff.has(call)) return outcome;
    const begun = this.#begun.get(call.serial);
    this.#begun.delete(call.serial);
    const ended = {
      call,
      outcome,
      number: begun?.number,
      parentNumber: call.parent && this.#begun.get(call.parent.serial)?.number,
      ms: begun && performance.now() - begun.at,
      time: Date.now(),
    };
    if (this.#auditor !== undefined) return this.#auditor.record(ended);
    if (this.#early.length < MAX_EARLY) this.#early.push(ended);
    return outcome;
  }

  /** Why a call must not be executed; undefined if it may. */
  async refusal(call: ClientCall): Promise<Outcome | undefined> {
    return (await this.load()).refusal(call);
  }

  load(): Promise<Auditor> {
    this.#loading ??= this.#load();
    return this.#loading;
  }

  /** Calls are no longer recorded. */
  stop(): void {
    this.#begun.clear();
  }

  async close(): Promise<void> {
    await this.#loading?.catch(() => {});
    this.end();
  }

  /** Records calls that have not ended, because the program does, and writes everything. */
  end(): void {
    const outcome = failure(workbenchError("CUT_OFF", {}));
    for (const { call } of this.#begun.values()) {
      this.onSettled(call, outcome);
      this.#cutOff.add(call);
    }
    this.#auditor?.close();
  }

  async #load(): Promise<Auditor> {
    const { host } = this.#context;
    try {
      const { Auditor } = await import("../audit/auditor.ts");
      const auditor = new Auditor({
        settings: () => this.#context.settings.audit,
        redact: host.redact,
        warn: (message) => host.log.warn(message),
      });
      for (const ended of this.#early.splice(0)) auditor.record(ended);
      this.#auditor = auditor;
      return auditor;
    } catch (error) {
      this.#loading = undefined;
      host.log.error(`the audit log cannot be used: ${reasonOf(error)}`);
      throw error;
    }
  }
}
