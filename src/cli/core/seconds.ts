import { workbenchError } from "../../errors.ts";

const MAX_SECONDS = 3_600;

/** The value of an option that is a number of seconds, in milliseconds. */
export function readSeconds(text: string | undefined, otherwise: number): number {
  const seconds = text === undefined ? otherwise : Number(text);
  if (seconds > 0 && seconds <= MAX_SECONDS) return Math.ceil(seconds * 1000);
  const reason = `--timeout takes a number of seconds up to ${MAX_SECONDS}`;
  throw workbenchError("USAGE", { reason });
}
