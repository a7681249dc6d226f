import type { WorkbenchError } from "../errors.ts";
import type { IncomingNotification, ProgressToken } from "../wire/messages.ts";
import type { ServerResponse } from "../wire/response.ts";
import type { Era } from "./client-profile.ts";
import type { Question, RequestSource } from "./question.ts";
import type { RunningTasks } from "./tasks.ts";

/** Whoever asked. Gets exactly one of `answered` and `failed` for each call, and progress before. */
export interface Caller {
  /** Who this caller and others act for; by itself if undefined. */
  readonly client?: object | undefined;
  answered(call: Call, response: ServerResponse): void;
  failed(call: Call, error: WorkbenchError): void;
  progressed(call: Call, notification: IncomingNotification): void;
  /** The server asks something while it works on a call of this caller. */
  asked(question: Question, call: Call | undefined): void;
  /** The server tells something that certainly belongs to this call. */
  heard?(call: Call, notification: IncomingNotification): void;
  /** The server tells something while it works on this call; it may be about another. */
  overheard?(call: Call, notification: IncomingNotification): void;
}

/** Which server of which toolbox. No interface, so that it can be written to the log as it is. */
export type Place = { readonly toolbox: string; readonly server: string };

/** Where a call was sent. */
export interface CallRoute extends RequestSource {
  readonly era: Era;
  readonly tasks: RunningTasks;
  /** Takes the call back: the server is told, and a late answer is dropped. */
  cancel(call: Call, reason: unknown): void;
}

/** What a modern server wanted to know before it can go on, as JSON. */
export interface MoreInput {
  readonly inputResponses: string;
  /** What the server asked to be told again. */
  readonly requestState: string | undefined;
}

/** One request on its way to a server and back. */
export class Call {
  readonly caller: Caller;
  /** The id the caller used, as JSON; empty for calls of the workbench itself. */
  readonly callerId: string;
  /** The token the caller wants to see on progress; the server hears its own id instead. */
  progressToken: ProgressToken | undefined;
  readonly method: string;
  /** The name or URI that was asked for, for messages. */
  readonly subject: string;
  /** What the server hears as id; 0 until it is sent. */
  id = 0;
  route: CallRoute | undefined;
  /** True from when it was sent until it has ended, of a call that takes a place. */
  running = false;
  /** Set when the caller gave up before the call could be sent. */
  cancelled = false;
  /** Sends the request once more with what the server asked for; set where that can happen. */
  again: ((input: MoreInput) => void) | undefined;
  /** How often the server has asked for more. */
  rounds = 0;
  /** How many questions of the server the caller has not answered yet. */
  questions = 0;
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

  /** True for a call that stays open for as long as the connection does. */
  get standing(): boolean {
    return this.deadline === Infinity;
  }

  /** True while the server works on it. */
  get wasSent(): boolean {
    return this.running || this.standing;
  }

  /** What was asked, in words: "tool 'read_file'", "prompts/list". */
  get what(): string {
    if (this.method === "tools/call") return `tool '${this.subject}'`;
    return this.subject === "" ? this.method : `${this.method} '${this.subject}'`;
  }
}
