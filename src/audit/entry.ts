import type { ClientCall } from "../calls/call.ts";
import type { Outcome } from "../calls/outcome.ts";
import type { Principal } from "../calls/principal.ts";
import { isObject } from "../text/json.ts";
import { cut } from "../text/truncate.ts";
import type { RecordedArguments } from "./arguments.ts";
import { type RecordedOutcome, recordedOutcome } from "./recorded-outcome.ts";
import { type Subject, subjectOf } from "./subject.ts";

export interface EndedCall {
  readonly call: ClientCall;
  readonly outcome: Outcome;
  /** Its number in this process; undefined if it began before calls were recorded. */
  readonly number?: number | undefined;
  readonly parentNumber?: number | undefined;
  readonly ms?: number | undefined;
  /** When it ended. */
  readonly time: number;
}

/** The entry of a call, without what the chain adds: `v`, `run`, `seq` and `prev`. */
export interface CallEntry extends Subject, RecordedOutcome, RecordedArguments {
  readonly time: string;
  readonly event: "call" | "read" | "prompt" | "request";
  readonly method: string;
  readonly id?: string | undefined;
  readonly parent?: string | undefined;
  readonly principal: Pick<Principal, "kind" | "id" | "name">;
  readonly client?: { readonly name: string; readonly version: string } | undefined;
  readonly session?: string | undefined;
  readonly class?: string | undefined;
  readonly decision?: object | undefined;
  readonly bytesIn: number;
  readonly ms?: number | undefined;
  readonly traceId?: string | undefined;
}

const MAX_TEXT_CHARS = 128;

export function callEntry(
  ended: EndedCall,
  args: RecordedArguments,
  run: string,
  session: string | undefined,
): CallEntry {
  const { call, outcome, number, parentNumber, ms, time } = ended;
  const { kind, id, name } = call.principal;
  return {
    time: new Date(time).toISOString(),
    event: eventOf(call.method),
    method: cut(call.method, MAX_TEXT_CHARS),
    id: idOf(run, number),
    parent: idOf(run, parentNumber),
    principal: { kind, id, name },
    client: clientOf(call),
    session,
    ...subjectOf(call),
    class: call.decision?.toolClass,
    decision: decisionOf(call),
    ...args,
    bytesIn: Buffer.byteLength(call.request.text),
    ...recordedOutcome(call, outcome),
    ms: ms === undefined ? undefined : Math.round(ms * 10) / 10,
    traceId: call.traceId,
  };
}

function idOf(run: string, number: number | undefined): string | undefined {
  return number === undefined ? undefined : `${run}-${number}`;
}

function eventOf(method: string): CallEntry["event"] {
  if (method === "tools/call") return "call";
  if (method === "resources/read") return "read";
  return method === "prompts/get" ? "prompt" : "request";
}

/** What the client states about itself; it proves nothing. */
export function clientOf({ caller }: ClientCall): CallEntry["client"] {
  const info = caller.profile?.client.info;
  if (!isObject(info)) return undefined;
  const text = (value: unknown): string =>
    typeof value === "string" ? cut(value, MAX_TEXT_CHARS) : "";
  return { name: text(info["name"]), version: text(info["version"]) };
}

function decisionOf({ decision }: ClientCall): object | undefined {
  if (decision === undefined) return undefined;
  const { action, rule, channel, approval } = decision;
  return { action, rule, channel, approval };
}
