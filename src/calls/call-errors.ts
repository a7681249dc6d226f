import type { ServerSettings } from "../config/types.ts";
import { type WorkbenchError, reasonOf, workbenchError } from "../errors.ts";
import { shownName } from "../text/shown-name.ts";
import { choices } from "../text/choices.ts";
import type { Call, Route } from "./call.ts";
import type { ServerRef, ToolIdentifier } from "./identifier.ts";
import { signInErrorOf } from "./sign-in-error.ts";

/** Which time limit a call exceeded, and what the server is notified of. */
export function timeoutReason(
  call: Call,
  now: number,
  { callMs, totalMs }: ServerSettings["timeouts"],
): string {
  return now >= call.totalDeadline
    ? tooLong(totalMs)
    : `no answer and no progress within ${callMs} ms`;
}

/** The error for the caller. */
export function timeoutError(
  call: Call,
  place: ServerRef,
  reason: string,
  now: number,
  wasSent: boolean,
): WorkbenchError {
  const setting = now >= call.totalDeadline ? "totalMs" : "callMs";
  const what = wasSent
    ? "The call may have taken effect; the server was asked to stop"
    : "The call was still queued and was never sent";
  return timedOut(call, place, reason, what, setting);
}

/** The error for a call that timed out while its server was being connected. */
export function neverSent(call: Call, place: ServerRef, totalMs: number): WorkbenchError {
  const what = "The server was still being connected, so the call had no effect";
  return timedOut(call, place, tooLong(totalMs), what, "totalMs");
}

function tooLong(totalMs: number): string {
  return `no result within ${totalMs} ms in total`;
}

function timedOut(
  call: Call,
  place: ServerRef,
  reason: string,
  what: string,
  setting: "callMs" | "totalMs",
): WorkbenchError {
  const hint = `${what}. To wait longer, raise timeouts.${setting} of this server`;
  return workbenchError("CALL_TIMEOUT", { ...place, what: call.label, reason }, hint);
}

/** The number of messages of maximum size that may wait to be sent. */
const QUEUED_MESSAGES = 2;

/** Why no more calls can wait for a server that is fully used; undefined if one more can. */
export function queueFull(
  place: ServerRef,
  { concurrency, queue, messageBytes }: ServerSettings["limits"],
  waiting: { readonly size: number; readonly chars: number },
): WorkbenchError | undefined {
  if (waiting.size >= queue) return busy(place, `${concurrency} running and ${queue} waiting`);
  if (waiting.chars > QUEUED_MESSAGES * messageBytes)
    return busy(place, "the waiting calls are too large");
  return undefined;
}

/** The error for a call to a server that leaves its requests unread. */
export function notReading(place: ServerRef): WorkbenchError {
  return workbenchError("SERVER_BUSY", { ...place, reason: "it does not read its input" });
}

/** The error for a call that does not fit into the queue. */
export function busy(place: ServerRef, reason: string): WorkbenchError {
  const hint = "Try again later, or raise limits.concurrency or limits.queue of this server";
  return workbenchError("SERVER_BUSY", { ...place, reason }, hint);
}

/** The connection was lost, and the answer with it. */
export function lostError(
  call: Call,
  place: ServerRef,
  reason: string,
  cause?: string,
): WorkbenchError {
  // What the server did before it asked for input may have had an effect.
  const code = call.state === "sent" || call.inputRounds > 0 ? "SERVER_DIED" : "CALL_NOT_DELIVERED";
  const params = { ...place, what: call.label, reason };
  return workbenchError(code, params, undefined, cause && { code: cause });
}

/** Why a request could not be delivered, or its answer could not be received. */
export interface DeliveryFailure {
  /** A stable name, such as "refused" or "unauthorized". */
  readonly code: string;
  readonly reason: string;
  /** What the user can do about it. */
  readonly fix: string | undefined;
  /** False only if the server certainly did not act on the request. */
  readonly mayHaveRun: boolean;
  /** A `SIGN_IN_REQUIRED` error if the user has to sign in. */
  readonly cause?: unknown;
}

export function undeliverableError(
  call: Call,
  place: ServerRef,
  failure: DeliveryFailure,
): WorkbenchError {
  const signIn = signInErrorOf(failure);
  if (signIn !== undefined) return signIn;
  const code = failure.mayHaveRun ? "SERVER_DIED" : "CALL_NOT_DELIVERED";
  const { reason, fix } = failure;
  return workbenchError(code, { ...place, what: call.label, reason }, fix, failure);
}

const MAY_HAVE_RUN = "The call may have taken effect. Ask for less";

export function inexactError(place: ServerRef, reason: string): WorkbenchError {
  const fix = "The call may have taken effect. This is a fault of the server";
  return workbenchError("MESSAGE_REJECTED", { ...place, reason }, fix);
}

export function tooLargeError(place: ServerRef, bytes: number, limit: number): WorkbenchError {
  const reason = `${bytes} bytes, the limit is ${limit}`;
  const fix = `${MAY_HAVE_RUN}, or raise limits.messageBytes of this server`;
  return workbenchError("MESSAGE_TOO_LARGE", { ...place, reason }, fix);
}

/** The answer is JSON that could not be parsed without delaying all clients. */
export function tooComplexError(place: ServerRef, reason: string): WorkbenchError {
  return workbenchError("MESSAGE_TOO_LARGE", { ...place, reason }, MAY_HAVE_RUN);
}

/** The answer arrived, but processing it failed. */
export function mishandledError(call: Call, place: ServerRef, error: unknown): WorkbenchError {
  const { toolbox, server } = place;
  const reason = `the answer of server '${server}' in toolbox '${toolbox}' to ${call.label} could not be handled: ${reasonOf(error)}`;
  return workbenchError("INTERNAL", { reason });
}

const MAX_PATH_CHARS = 300;

/** The error for something that the user has not approved. */
export function notApproved(
  { toolbox, server }: ServerRef,
  what: string,
  reason: string,
): WorkbenchError {
  const hint = `Ask the user to review it: mcp-workbench diff ${toolbox}/${server}. Do not look for another way`;
  return workbenchError("NOT_APPROVED", { toolbox, server, what, reason }, hint);
}

interface SeenTools {
  readonly catalogue: {
    readonly tools: Pick<Route["catalogue"]["tools"], "has" | "keys">;
    readonly withheld?: ReadonlyMap<string, string>;
  };
}

/** The error for a tool that is not among those that the caller sees. */
export function toolNotFound(
  tool: ToolIdentifier,
  { catalogue: { tools, withheld } }: SeenTools,
): WorkbenchError {
  const reason = withheld?.get(tool.name);
  if (reason !== undefined) return notApproved(tool, `tool '${shownName(tool.name)}'`, reason);
  // Agents write a path, or a native name, where only the tool's own name belongs.
  const own = [...tool.name.slice(0, MAX_PATH_CHARS).matchAll(/\/|__/g)]
    .map(({ index, 0: separator }) => tool.name.slice(index + separator.length))
    .find((name) => tools.has(name));
  const hint = own === undefined ? choices(tool.name, tools.keys()) : `Did you mean '${own}'?`;
  return workbenchError("TOOL_NOT_FOUND", tool, hint);
}
