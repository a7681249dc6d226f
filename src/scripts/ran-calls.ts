/** Names of more tools than this are not listed. */
const MAX_NAMED = 10;

interface Ran {
  count: number;
  failed: number;
}

/** The same as data. */
export interface RanCallsRecord {
  readonly byTool: readonly (readonly [string, Readonly<Ran>])[];
  readonly changed: readonly (readonly [string, number])[];
}

/** The calls of a script, counted by tool. */
export class RanCalls {
  readonly #byTool = new Map<string, Ran>();
  readonly #changed = new Map<string, number>();
  #count = 0;
  #open = 0;
  #unsent = 0;

  /** The number of calls that have ended. */
  get count(): number {
    return this.#count;
  }

  /** What happened to calls that the script did not wait for; undefined if there are none. */
  get notAwaited(): string | undefined {
    const count = this.#open + this.#unsent;
    if (count === 0) return undefined;
    const parts = [
      ...(this.#open > 0 ? [`${this.#open} cancelled`] : []),
      ...(this.#unsent > 0 ? [`${this.#unsent} never sent`] : []),
    ];
    return `${count} ${count === 1 ? "call" : "calls"} (${parts.join(", ")})`;
  }

  add(path: string, isFailure: boolean, mayHaveChanged: boolean): void {
    const ran = this.#byTool.get(path) ?? { count: 0, failed: 0 };
    ran.count++;
    if (isFailure) ran.failed++;
    this.#byTool.set(path, ran);
    this.#count++;
    if (mayHaveChanged) this.#changed.set(path, (this.#changed.get(path) ?? 0) + 1);
  }

  /** A call that was cancelled because the script ended. */
  addOpen(path: string, mayHaveChanged: boolean): void {
    this.#open++;
    if (mayHaveChanged) this.#changed.set(path, (this.#changed.get(path) ?? 0) + 1);
  }

  /** Calls that no server got, because the script ended before it was their turn. */
  addUnsent(count: number): void {
    this.#unsent += count;
  }

  get record(): RanCallsRecord {
    return { byTool: [...this.#byTool], changed: [...this.#changed] };
  }

  /** Adds the calls that the script made before it was suspended. */
  restore({ byTool, changed }: RanCallsRecord): void {
    for (const [path, ran] of byTool) {
      this.#byTool.set(path, { ...ran });
      this.#count += ran.count;
    }
    for (const [path, count] of changed) this.#changed.set(path, count);
  }

  /** What ran, for an agent that has to know what a failed script has done. */
  get summary(): string {
    if (this.#count === 0 && this.notAwaited === undefined) return "No calls were made.";
    const tools = Array.from(this.#byTool, ([path, { count, failed }]) => {
      const times = count === 1 ? "" : ` ×${count}`;
      const note = failed === 0 ? "" : failed === count ? " (failed)" : ` (${failed} failed)`;
      return `${path}${times}${note}`;
    });
    const lines = [`Calls that ran: ${this.#count}${listOf(tools)}`];
    if (this.#open > 0)
      lines.push(`Calls that were cancelled because the script ended: ${this.#open}`);
    if (this.#unsent > 0) lines.push(`Calls that were never sent: ${this.#unsent}`);
    const changed = Array.from(this.#changed, ([path, count]) =>
      count === 1 ? path : `${path} ×${count}`,
    );
    const total = Array.from(this.#changed.values()).reduce((sum, count) => sum + count, 0);
    if (total > 0) lines.push(`May have changed something: ${total}${listOf(changed)}`);
    return lines.join("\n");
  }
}

function listOf(names: readonly string[]): string {
  if (names.length === 0) return "";
  const more = names.length > MAX_NAMED ? ", …" : "";
  return ` (${names.slice(0, MAX_NAMED).join(", ")}${more})`;
}
