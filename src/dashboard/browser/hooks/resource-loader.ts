import type { DashboardEvent } from "../../contract.ts";
import { type ApiProblem, asProblem, isAborted } from "../net/api-problem.ts";

export interface LoaderState<T> {
  readonly data: T | undefined;
  readonly problem: ApiProblem | undefined;
  readonly isLoading: boolean;
}

/** What the data is after an event; `reload` to load it again. */
export type Follow<T> = (data: T, event: DashboardEvent) => T | "reload";

export interface ResourceSource<T> {
  readonly request: (signal: AbortSignal) => Promise<T>;
  readonly follow: Follow<T>;
  readonly onChange: (state: LoaderState<T>) => void;
  /** Shown until the first answer. */
  readonly first: T | undefined;
}

/**
 * Loads data, one request at a time, and keeps it up to date with events. An event that arrives during a request
 * is applied to the answer, which may be older.
 */
export class ResourceLoader<T> {
  private readonly abort = new AbortController();
  private isNeededAgain = false;
  private waiting: DashboardEvent[] = [];
  private state: LoaderState<T>;
  private readonly source: ResourceSource<T>;

  constructor(source: ResourceSource<T>) {
    this.source = source;
    this.state = { data: source.first, problem: undefined, isLoading: false };
  }

  load(): void {
    if (this.state.isLoading) {
      this.isNeededAgain = true;
      return;
    }
    this.isNeededAgain = false;
    this.waiting = [];
    this.put({ ...this.state, isLoading: true });
    void this.source.request(this.abort.signal).then(
      (data) => this.onLoaded({ data, problem: undefined }),
      (error: unknown) => {
        if (!isAborted(error)) this.onLoaded({ data: this.state.data, problem: asProblem(error) });
      },
    );
  }

  onEvent(event: DashboardEvent): void {
    if (this.state.isLoading) this.waiting.push(event);
    else this.apply(event);
  }

  set(data: T): void {
    this.put({ ...this.state, data, problem: undefined });
  }

  close(): void {
    this.abort.abort();
  }

  private onLoaded(result: Omit<LoaderState<T>, "isLoading">): void {
    this.put({ ...result, isLoading: false });
    const { waiting } = this;
    this.waiting = [];
    for (const event of waiting) this.onEvent(event);
    if (this.isNeededAgain) this.load();
  }

  private apply(event: DashboardEvent): void {
    const { data } = this.state;
    if (data === undefined) return;
    const next = this.source.follow(data, event);
    if (next === "reload") this.load();
    else if (next !== data) this.put({ ...this.state, data: next });
  }

  private put(state: LoaderState<T>): void {
    this.state = state;
    if (!this.abort.signal.aborted) this.source.onChange(state);
  }
}
