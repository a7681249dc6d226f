import {
  SerialNumbers,
  type CallObserver,
  type ClientCall,
  type ExchangeObserver,
  type Pipeline,
  type ResultLearner,
  type Step,
} from "../calls/call.ts";
import type { Outcome } from "../calls/outcome.ts";
import type { NeededSignIn } from "../calls/sign-in-error.ts";
import type { Principal } from "../calls/principal.ts";
import { TaskPlaces } from "../calls/tasks.ts";
import type { Visibility } from "../calls/visibility.ts";
import { hasPolicy } from "../config/has-policy.ts";
import type { WorkbenchSettings } from "../config/types.ts";
import { AccessGate } from "./access-gate.ts";
import { CallObservers, type ObservedWorkbench, type ObserverOptions } from "./call-observers.ts";
import type { LateAudit } from "./late-audit.ts";
import { LateResults } from "./late-results.ts";
import { LateScripts } from "./late-scripts.ts";
import { OPTIONAL_STEPS, type OptionalStep, type StepContext } from "./step-table.ts";

/** The workbench, as far as its pipeline needs it. */
export type PipelineContext = StepContext & ObservedWorkbench;

/** What the calls of all clients share. Its steps follow the configuration. */
export class CallPipeline implements Pipeline {
  readonly tasks = new TaskPlaces();
  readonly unfinished = new Set<Promise<void>>();
  readonly serials = new SerialNumbers();
  readonly observers: CallObservers;
  readonly results: LateResults;
  readonly scripts = new LateScripts();
  steps: readonly Step[] = [];
  preparing: Promise<void> | undefined;
  visibility: Visibility | undefined;
  observer: CallObserver | undefined;
  learner: ResultLearner | undefined;
  exchanges: ExchangeObserver | undefined;
  /** The steps for calls of principals that may only read. */
  stepsForReaders: readonly Step[] = [];
  readonly #readers = new ReaderPipeline(this);
  readonly #replicas: Pipeline = {
    steps: [],
    tasks: this.tasks,
    unfinished: this.unfinished,
    serials: this.serials,
  };
  readonly access: AccessGate;
  readonly #context: StepContext;
  readonly #given: readonly Step[];
  readonly #table: readonly OptionalStep[];
  /** A step keeps what it counts when the configuration changes. */
  readonly #known = new Map<OptionalStep, Step>();

  constructor(
    context: PipelineContext,
    given: readonly Step[],
    options: ObserverOptions = {},
    table: readonly OptionalStep[] = OPTIONAL_STEPS,
  ) {
    this.observers = new CallObservers(context, options, this);
    this.results = new LateResults(context);
    this.access = new AccessGate(context);
    this.#context = context;
    this.#given = given;
    this.#table = table;
  }

  /** Loads what calls with these settings need, so that they need not wait for it. */
  async prepareFor(settings: WorkbenchSettings): Promise<void> {
    if (hasPolicy(settings)) await this.access.loading?.catch(() => {});
  }

  configure(settings: WorkbenchSettings): void {
    const stepsWhere = (isPassed: (step: OptionalStep) => boolean): readonly Step[] => [
      ...this.#given,
      ...this.#table.filter(isPassed).map((step) => this.#stepOf(step)),
    ];
    this.steps = stepsWhere((step) => step.isUsed(settings));
    this.stepsForReaders = stepsWhere((step) => step.guardsReaders || step.isUsed(settings));
    this.results.configure(settings.results);
    this.#prepare(hasPolicy(settings));
    this.observers.configure(settings);
    this.learner = this.observers.learner;
  }

  get audit(): LateAudit {
    return this.observers.audit;
  }

  /** The pipeline for the calls of a principal. Those of a replica have passed the steps there. */
  for({ kind, readOnly }: Principal): Pipeline {
    if (kind === "replica") return this.#replicas;
    return readOnly ? this.#readers : this;
  }

  async signIn(call: ClientCall, needed: NeededSignIn): Promise<Outcome | undefined> {
    return (await this.#context.host.signIns.load()).handle(call, needed);
  }

  /** Loads the policy if there is one. If that fails, so does every call. Also loads what traces calls. */
  #prepare(isRestricted: boolean): void {
    this.visibility = isRestricted ? this.access.visibility : undefined;
    const policy = isRestricted ? this.access.loading : undefined;
    const tracing = this.observers.telemetry?.preparing;
    const loading = policy && tracing ? Promise.all([policy, tracing]) : (policy ?? tracing);
    this.preparing = loading?.then(() => {
      if (this.visibility !== undefined) this.visibility = this.access.visibility;
      this.preparing = undefined;
    });
    this.preparing?.catch(() => {});
  }

  #stepOf(optional: OptionalStep): Step {
    const known = this.#known.get(optional);
    if (known !== undefined) return known;
    const step = loadedLate(() => optional.load(this.#context));
    this.#known.set(optional, step);
    return step;
  }
}

/** The pipeline for principals that may only read: access is checked without a policy, too. */
class ReaderPipeline implements Pipeline {
  readonly #all: CallPipeline;

  constructor(all: CallPipeline) {
    this.#all = all;
  }

  get steps(): readonly Step[] {
    return this.#all.stepsForReaders;
  }

  get observer(): CallObserver | undefined {
    return this.#all.observer;
  }

  get learner(): ResultLearner | undefined {
    return this.#all.learner;
  }

  get exchanges(): ExchangeObserver | undefined {
    return this.#all.exchanges;
  }

  get tasks(): TaskPlaces {
    return this.#all.tasks;
  }

  get results(): LateResults {
    return this.#all.results;
  }

  get unfinished(): Set<Promise<void>> {
    return this.#all.unfinished;
  }

  get serials(): SerialNumbers {
    return this.#all.serials;
  }

  get preparing(): Promise<void> | undefined {
    return this.#all.access.loading ?? this.#all.preparing;
  }

  get visibility(): Visibility {
    return this.#all.access.visibility;
  }

  signIn(call: ClientCall, needed: NeededSignIn): Promise<Outcome | undefined> {
    return this.#all.signIn(call, needed);
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
