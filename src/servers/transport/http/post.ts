import type { Call } from "../../../calls/call.ts";
import { Cancellation } from "./cancellation.ts";

/** Above this, messages that no caller waits for, such as answers to a flood of pings, are dropped. */
export const MAX_POSTS = 1000;

/** A message on its way to a server by HTTP, and the response to it. */
export class Post extends Cancellation {
  readonly message: string;
  readonly call: Call | undefined;
  /** Whether the message carries the modern envelope. */
  modern = false;
  /** The session it was sent in; undefined if the server cannot have lost one. */
  session: object | string | undefined;
  /** Whether it was sent again in a new session. */
  repeated = false;
  /** Until the server has responded. */
  waiting = true;
  /** The status of the latest response. */
  status: number | undefined;
  /** Whether the server has opened a stream in response. */
  streamed = false;
  /** Whether a stream ended or could not be opened, and events may have been missed. */
  missedEvents = false;

  constructor(message: string, call: Call | undefined) {
    super();
    this.message = message;
    this.call = call;
  }

  /** Whether the request only subscribes to changes: it has no effect, and no end of its own. */
  get isSubscription(): boolean {
    return this.call?.method === "subscriptions/listen";
  }
}
