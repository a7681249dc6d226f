/** A script that counts towards a budget. */
export interface BudgetUser {
  /** The time that it has computed, in milliseconds. */
  readonly cpuMs: number;
}

/**
 * What a script and the saved scripts that it calls may use together. Otherwise, scripts that call scripts
 * would multiply the limits.
 */
export class ScriptBudget {
  readonly #running = new Set<BudgetUser>();
  #endedMs = 0;
  #calls = 0;
  #scripts = 0;

  /** Whether several scripts use it. */
  get isShared(): boolean {
    return this.#scripts > 1;
  }

  get cpuMs(): number {
    let sum = this.#endedMs;
    for (const { cpuMs } of this.#running) sum += cpuMs;
    return sum;
  }

  add(script: BudgetUser): void {
    this.#scripts++;
    this.#running.add(script);
  }

  /** The script has ended; what it used stays used. */
  end(script: BudgetUser): void {
    if (this.#running.delete(script)) this.#endedMs += script.cpuMs;
  }

  /** Counts calls; returns whether there are at most `max` now. */
  takeCalls(count: number, max: number): boolean {
    this.#calls += count;
    return this.#calls <= max;
  }
}
