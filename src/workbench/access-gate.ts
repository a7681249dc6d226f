import type { PolicyEngine } from "../access/policy/policy-engine.ts";
import type { Step } from "../calls/call.ts";
import { NOTHING_VISIBLE, type Visibility } from "../calls/visibility.ts";
import type { WorkbenchSettings } from "../config/types.ts";

/** The policy of the configuration. Its code is loaded when it is needed. */
export class AccessGate {
  readonly #context: { readonly settings: WorkbenchSettings };
  #engine: PolicyEngine | undefined;
  #loading: Promise<void> | undefined;

  constructor(context: { readonly settings: WorkbenchSettings }) {
    this.#context = context;
  }

  /** Loads the code; undefined if it is loaded. A failed attempt is repeated for the next call. */
  get loading(): Promise<void> | undefined {
    if (this.#engine !== undefined) return undefined;
    this.#loading ??= this.#load().finally(() => (this.#loading = undefined));
    return this.#loading;
  }

  get visibility(): Visibility {
    return this.#engine?.visibility ?? NOTHING_VISIBLE;
  }

  async loadedStep(): Promise<Step> {
    await this.loading;
    if (this.#engine === undefined) throw new Error("the policy is not loaded");
    return this.#engine.step;
  }

  async #load(): Promise<void> {
    const { createPolicyEngine } = await import("../access/policy/policy-engine.ts");
    this.#engine = createPolicyEngine(this.#context);
  }
}
