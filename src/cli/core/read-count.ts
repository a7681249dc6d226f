import { workbenchError } from "../../errors.ts";
import type { Arguments } from "./command.ts";

/** The value of an option that is a number from 1 to a maximum. */
export function readCount(args: Arguments, name: string, otherwise: number, max: number): number {
  const text = args.text(name);
  const count = text === undefined ? otherwise : Number(text);
  if (Number.isInteger(count) && count >= 1 && count <= max) return count;
  throw workbenchError("USAGE", { reason: `--${name} takes a number from 1 to ${max}` });
}
