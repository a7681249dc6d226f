import type { CallObserver, ExchangeObserver, ResultLearner } from "../calls/call.ts";
import type { WorkbenchSettings } from "../config/types.ts";
import type { CountedWorkbench } from "./accounting/definition-costs.ts";
import { LateAccounting } from "./accounting/late-accounting.ts";
import { LateAudit, isAuditOn } from "./late-audit.ts";
import { LateUses } from "./past-uses/late-uses.ts";
import { LateReturnTypes } from "./return-types/late-return-types.ts";
import type { Environment } from "../telemetry/otel-use.ts";
import {
  LateTelemetry,
  type ObservableWorkbench,
  usesTelemetry,
} from "./telemetry/late-telemetry.ts";
import type { WorkbenchHost } from "./workbench-host.ts";

/** The workbench whose calls are observed. */
export interface ObservedWorkbench extends CountedWorkbench, ObservableWorkbench {
  readonly host: WorkbenchHost;
  readonly toolboxes: CountedWorkbench["toolboxes"];
}

/** What is observed if the configuration does not say. */
export interface ObserverOptions {
  readonly auditsByDefault?: boolean | undefined;
  /** Whether calls are measured, because metrics may be read. */
  readonly recordsMetrics?: boolean | undefined;
  /** The variables that decide what is exported. */
  readonly env?: Environment | undefined;
}

/** Gets all observers that are used as one; undefined if there are none, so that calls cost nothing. */
export interface ObserverSlots {
  observer: CallObserver | undefined;
  exchanges: ExchangeObserver | undefined;
}

/** What observes the calls of all clients, as far as it is used. */
export class CallObservers {
  readonly audit: LateAudit;
  readonly accounting: LateAccounting;
  readonly returnTypes: LateReturnTypes;
  readonly uses: LateUses;
  /** Undefined if nothing is measured and traced. */
  readonly telemetry: LateTelemetry | undefined;
  readonly #auditsByDefault: boolean;
  readonly #slots: ObserverSlots;
  /** Those that the configuration asks for. */
  #configured: readonly CallObserver[] = [];
  /** Those that observe for a while. */
  readonly #attached = new Set<CallObserver>();
  #isAudited = false;
  #learns = false;

  constructor(
    workbench: ObservedWorkbench,
    { auditsByDefault = false, recordsMetrics = false, env = process.env }: ObserverOptions,
    slots: ObserverSlots,
  ) {
    this.#auditsByDefault = auditsByDefault;
    this.#slots = slots;
    if (usesTelemetry(env, recordsMetrics))
      this.telemetry = new LateTelemetry(workbench, env, (exchanges) => {
        slots.exchanges = exchanges;
      });
    this.audit = new LateAudit(workbench);
    this.accounting = new LateAccounting(workbench);
    this.uses = new LateUses(workbench);
    this.returnTypes = new LateReturnTypes(workbench);
  }

  configure({ audit, countTokens, learnFromUse, scripts }: WorkbenchSettings): void {
    const isAudited = isAuditOn(audit, this.#auditsByDefault);
    if (this.#isAudited && !isAudited) this.audit.stop();
    this.#isAudited = isAudited;
    this.#configured = [
      ...(isAudited ? [this.audit] : []),
      ...(this.telemetry === undefined ? [] : [this.telemetry]),
      ...(countTokens ? [this.accounting] : []),
      ...(learnFromUse ? [this.uses] : []),
    ];
    this.#learns = scripts.enabled !== false;
    this.#combine();
  }

  /** Observes all calls until the returned function is called, also those that are in progress. */
  attach(observer: CallObserver): () => void {
    this.#attached.add(observer);
    this.#combine();
    return () => {
      this.#attached.delete(observer);
      this.#combine();
    };
  }

  /** What learns from results; undefined if there are no scripts that would need it. */
  get learner(): ResultLearner | undefined {
    return this.#learns ? this.returnTypes : undefined;
  }

  #combine(): void {
    this.#slots.observer = combined([...this.#configured, ...this.#attached]);
  }

  /** Writes what was recorded. */
  async close(): Promise<void> {
    await this.accounting.close();
    await this.uses.close();
    await this.returnTypes.close();
    await this.telemetry?.close();
    await this.audit.close();
  }
}

function combined(observers: readonly CallObserver[]): CallObserver | undefined {
  const [first] = observers;
  if (first === undefined || observers.length === 1) return first;
  return {
    onStarted(call) {
      for (const observer of observers) observer.onStarted(call);
    },
    onSettled(call, outcome) {
      return observers.reduce((given, observer) => observer.onSettled(call, given), outcome);
    },
    onReplaced(call, stored, given) {
      for (const observer of observers) observer.onReplaced?.(call, stored, given);
    },
  };
}
