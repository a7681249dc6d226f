import type { CallObserver } from "../calls/call.ts";
import type { WorkbenchSettings } from "../config/types.ts";
import type { CountedWorkbench } from "./accounting/definition-costs.ts";
import { LateAccounting } from "./accounting/late-accounting.ts";
import { LateAudit, isAuditOn } from "./late-audit.ts";
import { LateUses } from "./past-uses/late-uses.ts";
import { LateReturnTypes } from "./return-types/late-return-types.ts";
import type { WorkbenchHost } from "./workbench-host.ts";

/** The workbench whose calls are observed. */
export interface ObservedWorkbench extends CountedWorkbench {
  readonly host: WorkbenchHost;
}

/** What observes the calls of all clients, as far as it is used. */
export class CallObservers {
  readonly audit: LateAudit;
  readonly accounting: LateAccounting;
  readonly returnTypes: LateReturnTypes;
  readonly uses: LateUses;
  readonly #auditsByDefault: boolean;
  readonly #use: (observer: CallObserver | undefined) => void;
  #isAudited = false;

  /** `use` gets all that are used as one; undefined if none is, so that calls cost nothing. */
  constructor(
    workbench: ObservedWorkbench,
    auditsByDefault: boolean,
    use: (observer: CallObserver | undefined) => void,
  ) {
    this.#auditsByDefault = auditsByDefault;
    this.#use = use;
    this.audit = new LateAudit(workbench);
    this.accounting = new LateAccounting(workbench);
    this.uses = new LateUses(workbench.host.log, () => workbench.settings.learnFromUse);
    this.returnTypes = new LateReturnTypes(workbench, () => this.configure(workbench.settings));
  }

  configure({ audit, countTokens, learnFromUse, scripts }: WorkbenchSettings): void {
    const isAudited = isAuditOn(audit, this.#auditsByDefault);
    if (this.#isAudited && !isAudited) this.audit.stop();
    this.#isAudited = isAudited;
    const observers = [
      ...(isAudited ? [this.audit] : []),
      ...(countTokens ? [this.accounting] : []),
      ...(learnFromUse ? [this.uses] : []),
      ...(this.returnTypes.isUsed && scripts.enabled !== false ? [this.returnTypes] : []),
    ];
    this.#use(combined(observers));
  }

  /** Writes what was recorded. */
  async close(): Promise<void> {
    await this.accounting.close();
    await this.uses.close();
    await this.returnTypes.close();
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
