import type { WorkbenchError } from "../errors.ts";
import type { JsonObject, ProgressToken } from "../wire/messages.ts";
import type { ServerResponse } from "../wire/response.ts";

/** Whoever asked. Gets exactly one of `answered` and `failed` for each call, and progress before. */
export interface Caller {
  answered(call: Call, response: ServerResponse): void;
  failed(call: Call, error: WorkbenchError): void;
  progressed(call: Call, params: JsonObject): void;
}

/** Where a call was sent, so that its caller can take it back. */
export interface CallRoute {
  cancel(call: Call, reason: unknown): void;
}

/** One request on its way to a server and back. */
export class Call {
  readonly caller: Caller;
  /** The id the caller used, as JSON; empty for calls of the workbench itself. */
  readonly callerId: string;
  /** The token the caller wants to see on progress; the server hears its own id instead. */
  readonly progressToken: ProgressToken | undefined;
  readonly method: string;
  /** The name or URI that was asked for, for messages. */
  readonly subject: string;
  /** What the server hears as id; 0 until it is sent. */
  id = 0;
  route: CallRoute | undefined;
  /** Set when the caller gave up before the call could be sent. */
  cancelled = false;
  /** Milliseconds of the monotonic clock; set when the call is sent. */
  startedAt = 0;
  deadline = 0;
  totalDeadline = 0;

  constructor(
    caller: Caller,
    callerId: string,
    method: string,
    subject: string,
    progressToken: ProgressToken | undefined,
  ) {
    this.caller = caller;
    this.callerId = callerId;
    this.method = method;
    this.subject = subject;
    this.progressToken = progressToken;
  }

  /** What was asked, in words: "tool 'read_file'", "prompts/list". */
  get what(): string {
    if (this.method === "tools/call") return `tool '${this.subject}'`;
    return this.subject === "" ? this.method : `${this.method} '${this.subject}'`;
  }
}
