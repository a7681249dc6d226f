import type { VNode } from "preact";
import { formatCount } from "../format.ts";

interface PagerProps {
  readonly offset: number;
  readonly shown: number;
  readonly total: number;
  readonly size: number;
  readonly onMove: (offset: number) => void;
}

/** Moves through a long list. Nothing if everything is shown. */
export function Pager({ offset, shown, total, size, onMove }: PagerProps): VNode | null {
  if (offset === 0 && shown >= total) return null;
  return (
    <nav class="bar" aria-label="Parts of the list">
      <button
        type="button"
        disabled={offset === 0}
        onClick={() => onMove(Math.max(0, offset - size))}
      >
        Previous
      </button>
      <span class="muted">
        {formatCount(offset + 1)} to {formatCount(offset + shown)} of {formatCount(total)}
      </span>
      <button
        type="button"
        disabled={offset + shown >= total}
        onClick={() => onMove(offset + size)}
      >
        Next
      </button>
    </nav>
  );
}
