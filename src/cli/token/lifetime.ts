import { workbenchError } from "../../errors.ts";

const UNITS: Readonly<Record<string, number>> = {
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 7 * 86_400_000,
};
const MAX_MS = 3650 * 86_400_000;

/** Milliseconds for a time such as `90m`, `12h`, `30d` or `8w`; undefined if none is given. */
export function readLifetime(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const [, count = "", unit = ""] = /^(\d{1,6})([mhdw])$/.exec(text) ?? [];
  const ms = Number(count) * (UNITS[unit] ?? 0);
  if (ms > 0 && ms <= MAX_MS) return ms;
  const reason = `--expires '${text}' is not a time of at most 10 years`;
  throw workbenchError("USAGE", { reason }, "Write for example --expires 90m, 12h, 30d or 8w");
}
