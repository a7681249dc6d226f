const UNIT_MS = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 7 * 86_400_000 } as const;

/** Milliseconds for a time such as `30m` or `7d`, in one of these units; undefined for another text. */
export function durationMs(text: string, units: string): number | undefined {
  const [, count, unit = ""] = /^(\d{1,6})([a-z])$/.exec(text) ?? [];
  if (count === undefined || !units.includes(unit)) return undefined;
  return Number(count) * UNIT_MS[unit as keyof typeof UNIT_MS];
}
