import type { Page } from "../../contract.ts";
import { type ApiProblem, asProblem, isAborted } from "../net/api-problem.ts";

/** The rows that a window of this height shows, and some around them so that scrolling shows no gaps. */
export function rowsInView(
  view: { readonly top: number; readonly height: number; readonly rowHeight: number },
  total: number,
): { readonly first: number; readonly end: number } {
  const MARGIN = 6;
  const { top, height, rowHeight } = view;
  const first = Math.max(0, Math.min(Math.floor(top / rowHeight), total) - MARGIN);
  return { first, end: Math.min(total, Math.ceil((top + height) / rowHeight) + MARGIN) };
}

export interface PageSource<P> {
  /** The number of items of a page. */
  readonly size: number;
  readonly load: (offset: number, signal: AbortSignal) => Promise<P>;
  readonly onChange: () => void;
}

/** A long list of which only the parts that are in view are loaded. */
export class PagedList<T, P extends Page<T> = Page<T>> {
  /** The last answer, for what it says beside its items. */
  latest: P | undefined;
  problem: ApiProblem | undefined;
  private readonly abort = new AbortController();
  private readonly pages = new Map<number, readonly T[] | undefined>();
  private wanted: readonly number[] = [0];

  private readonly source: PageSource<P>;

  constructor(source: PageSource<P>) {
    this.source = source;
  }

  /** Loads what is missing of these rows. */
  need(first: number, end: number): void {
    const pageOf = (row: number): number => Math.floor(row / this.source.size);
    const from = pageOf(first);
    const count = pageOf(Math.max(first, end - 1)) - from + 1;
    this.wanted = Array.from({ length: count }, (_, i) => from + i);
    for (const page of this.wanted) if (!this.pages.has(page)) this.fetch(page);
  }

  /** A row; undefined while it is loading. */
  at(index: number): T | undefined {
    const { size } = this.source;
    return this.pages.get(Math.floor(index / size))?.[index % size];
  }

  /** Loads what is in view again, and forgets the rest. */
  refresh(): void {
    for (const page of this.pages.keys()) if (!this.wanted.includes(page)) this.pages.delete(page);
    for (const page of this.wanted) this.fetch(page);
  }

  close(): void {
    this.abort.abort();
  }

  private fetch(page: number): void {
    const { signal } = this.abort;
    // Marks it as loading; what is known stays in view.
    this.pages.set(page, this.pages.get(page));
    void this.source.load(page * this.source.size, signal).then(
      (answer) => {
        if (signal.aborted) return;
        this.latest = answer;
        this.problem = undefined;
        this.pages.set(page, answer.items);
        this.source.onChange();
      },
      (error: unknown) => {
        if (isAborted(error)) return;
        if (this.pages.get(page) === undefined) this.pages.delete(page);
        this.problem = asProblem(error);
        this.source.onChange();
      },
    );
  }
}
