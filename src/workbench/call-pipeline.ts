import type { CallObserver, ClientCall, Pipeline, Step } from "../calls/call.ts";
import type { Outcome } from "../calls/outcome.ts";
import type { NeededSignIn } from "../calls/sign-in-error.ts";
import { TaskPlaces } from "../calls/tasks.ts";
import type { WorkbenchSettings } from "../config/types.ts";
import { LateAudit, isAuditOn } from "./late-audit.ts";
import { OPTIONAL_STEPS, type OptionalStep, type StepContext } from "./step-table.ts";

/** What the calls of all clients share. Its steps follow the configuration. */
export class CallPipeline implements Pipeline {
  readonly tasks = new TaskPlaces();
  readonly unfinished = new Set<Promise<void>>();
  readonly audit: LateAudit;
  steps: readonly Step[] = [];
  observer: CallObserver | undefined;
  readonly #auditsByDefault: boolean;
  readonly #context: StepContext;
  readonly #given: readonly Step[];
  readonly #table: readonly OptionalStep[];
  /** A step keeps what it counts when the configuration changes. */
  readonly #known = new Map<OptionalStep, Step>();

  constructor(
    context: StepContext,
    given: readonly Step[],
    auditsByDefault = false,
    table: readonly OptionalStep[] = OPTIONAL_STEPS,
  ) {
    this.audit = new LateAudit(context);
    this.#auditsByDefault = auditsByDefault;
    this.#context = context;
    this.#given = given;
    this.#table = table;
  }

  configure(settings: WorkbenchSettings): void {
    const used = this.#table.filter((step) => step.isUsed(settings));
    this.steps = [...this.#given, ...used.map((step) => this.#stepOf(step))];
    const wasAudited = this.observer !== undefined;
    this.observer = isAuditOn(settings.audit, this.#auditsByDefault) ? this.audit : undefined;
    if (wasAudited && this.observer === undefined) this.audit.stop();
  }

  signIn(call: ClientCall, needed: NeededSignIn): Promise<Outcome | undefined> {
    return this.#context.host.signIns.handle(call, needed);
  }

  #stepOf(optional: OptionalStep): Step {
    const known = this.#known.get(optional);
    if (known !== undefined) return known;
    const step = loadedLate(() => optional.load(this.#context));
    this.#known.set(optional, step);
    return step;
  }
}

/** A step that is loaded for the first call. A failed load is tried again for the next call. */
function loadedLate(load: () => Promise<Step>): Step {
  let loading: Promise<Step> | undefined;
  return async (call, next) => {
    loading ??= load();
    try {
      await loading;
    } catch (error) {
      loading = undefined;
      throw error;
    }
    return (await loading)(call, next);
  };
}
