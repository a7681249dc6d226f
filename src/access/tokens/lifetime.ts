import { workbenchError } from "../../errors.ts";
import { durationMs } from "../../text/duration.ts";

const MAX_MS = 3650 * 86_400_000;

/** Milliseconds for a time such as `90m`, `12h`, `30d` or `8w`; undefined if none is given. */
export function readLifetime(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const ms = durationMs(text, "mhdw") ?? 0;
  if (ms > 0 && ms <= MAX_MS) return ms;
  const reason = `'${text}' is not a time of at most 10 years`;
  throw workbenchError("USAGE", { reason }, "Write for example 90m, 12h, 30d or 8w");
}
