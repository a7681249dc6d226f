/** The value at this share of the sorted values, between 0 and 1. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  const index = Math.min(sorted.length - 1, Math.max(0, Math.ceil(share * sorted.length) - 1));
  return sorted[index] ?? Number.NaN;
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2;
}

/**
 * How much larger `values` are than `base`: the median over the rounds of the ratio within a round.
 * Both are measured one after the other in each round, so other load on the machine slows both, and
 * a disturbed round is one of many.
 */
export function pairedRatio(values: readonly number[], base: readonly number[]): number {
  const rounds = Math.min(values.length, base.length);
  const ratios: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const ratio = (values[round] as number) / (base[round] as number);
    if (Number.isFinite(ratio)) ratios.push(ratio);
  }
  return median(ratios);
}
