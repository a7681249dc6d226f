import { AUDIT_OUTCOMES } from "../../../audit/audit-outcomes.ts";
import type { ReadEntry } from "../../../audit/read-entries.ts";
import { workbenchError } from "../../../errors.ts";
import { choices } from "../../../text/choices.ts";
import { valueAt } from "../../../text/json.ts";
import type { Arguments } from "../../core/command.ts";
import { durationMs } from "../../../text/duration.ts";

/** Which entries the user wants to see. */
export interface AuditFilter {
  /** Whether an option restricts the entries. */
  readonly isActive: boolean;
  /** Whether files of this day may contain matching entries. */
  includesDay(day: string): boolean;
  matches(entry: ReadEntry): boolean;
}

type Test = (entry: ReadEntry) => boolean;

export function auditFilter(args: Arguments, now = Date.now()): AuditFilter {
  const since = args.text("since");
  const from = since === undefined ? undefined : new Date(timeBefore(since, now)).toISOString();
  const tests = [
    from === undefined ? undefined : ({ fields }: ReadEntry) => String(fields["time"]) >= from,
    oneOf(args.list("toolbox"), ["toolbox"]),
    serverTest(args.list("server")),
    oneOf(args.list("tool"), ["tool"]),
    oneOf(args.list("principal"), ["principal", "name"]),
    oneOf(outcomes(args.list("outcome")), ["outcome"]),
  ].filter((test) => test !== undefined);
  return {
    isActive: tests.length > 0,
    includesDay: (day) => from === undefined || day >= from.slice(0, 10),
    matches: (entry) => tests.every((test) => test(entry)),
  };
}

function oneOf(wanted: readonly string[], path: readonly string[]): Test | undefined {
  if (wanted.length === 0) return undefined;
  return ({ fields }) => wanted.includes(String(valueAt(fields, path)));
}

/** `TOOLBOX/SERVER`, or the name of a server in any toolbox. */
function serverTest(wanted: readonly string[]): Test | undefined {
  if (wanted.length === 0) return undefined;
  return ({ fields: { toolbox, server } }) =>
    wanted.some((name) => name === server || name === `${String(toolbox)}/${String(server)}`);
}

function outcomes(given: readonly string[]): readonly string[] {
  const known: readonly string[] = AUDIT_OUTCOMES;
  for (const outcome of given)
    if (!known.includes(outcome))
      throw workbenchError(
        "USAGE",
        { reason: `--outcome: unknown outcome '${outcome}'` },
        choices(outcome, known),
      );
  return given;
}

/** A time such as `2026-11-17`, `2026-11-17T08:00`, or how long ago: `30m`, `12h`, `7d`. */
function timeBefore(text: string, now: number): number {
  const ms = durationMs(text, "smhd");
  const time = ms === undefined ? Date.parse(text) : now - ms;
  if (/^\d/.test(text) && !Number.isNaN(time)) return time;
  throw workbenchError("USAGE", {
    reason: `--since takes a time such as 2026-11-17 or 2026-11-17T08:00, or an age such as 30m, 12h or 7d`,
  });
}
