const NOTHING = "–";

/** Numbers of any size with about three significant digits. */
export function number(value: number | undefined): string {
  if (value === undefined) return NOTHING;
  if (value >= 100) return Math.round(value).toLocaleString("en-US");
  return value >= 10 ? value.toFixed(1) : value.toFixed(2);
}

export function times(ratio: number | undefined): string {
  return ratio === undefined ? NOTHING : `${ratio >= 100 ? ratio.toFixed(0) : ratio.toFixed(2)}x`;
}

/** `12.3 (1.05x)` */
export function withRatio(value: number | undefined, ratio: number | undefined): string {
  if (value === undefined) return NOTHING;
  return ratio === undefined ? number(value) : `${number(value)} (${times(ratio)})`;
}
