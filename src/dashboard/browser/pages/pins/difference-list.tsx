import type { VNode } from "preact";
import { useState } from "preact/hooks";
import type { PinDifference } from "../../../contract.ts";
import { formatCount } from "../../format.ts";
import { Pager } from "../../parts/pager.tsx";
import { DifferenceCard } from "./difference-card.tsx";

/** What a browser shows at once without becoming slow. */
const SIZE = 100;

/** The question before all of so many differences are approved. */
export function titleForAll(count: number): string {
  return count > SIZE
    ? `Approve all ${formatCount(count)} differences?`
    : "Approve everything shown?";
}

interface DifferenceListProps {
  readonly differences: readonly PinDifference[];
  readonly onTrust: (name: string) => void;
}

/** The differences, part by part if there are many. */
export function DifferenceList({ differences, onTrust }: DifferenceListProps): VNode {
  const [offset, setOffset] = useState(0);
  const total = differences.length;
  // There may be fewer than before.
  const first = offset < total ? offset : 0;
  const shown = differences.slice(first, first + SIZE);
  return (
    <>
      <Pager offset={first} shown={shown.length} total={total} size={SIZE} onMove={setOffset} />
      {shown.map((difference) => (
        <DifferenceCard
          key={`${difference.what} ${difference.name}`}
          difference={difference}
          onTrust={onTrust}
        />
      ))}
    </>
  );
}
