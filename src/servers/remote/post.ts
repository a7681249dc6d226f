import type { Call } from "../../calls/call.ts";
import { Exchange } from "./exchange.ts";

/** Further messages that nobody waits for, such as answers to a flood of pings, are dropped. */
export const MAX_POSTS = 1000;

/** A message on its way to a server by HTTP, and its answer on the way back. */
export class Post extends Exchange {
  readonly message: string;
  readonly call: Call | undefined;
  /** Whether the message is of the modern era, in which each says so itself. */
  modern = false;
  /** The session it was sent in. */
  session: string | undefined;
  /** Set once it was sent again in a new session. */
  repeated = false;
  /** Until the server has responded. */
  waiting = true;
  /** The status of the response to it; undefined if there is none. */
  status: number | undefined;
  /** Set once the server has opened a stream in response to it. */
  streamed = false;
  /** Set while a stream that could not be had, or broke off, has to be opened again. */
  broken = false;

  constructor(message: string, call: Call | undefined) {
    super();
    this.message = message;
    this.call = call;
  }

  /** Whether the request only asks to be told of changes: it has no effect, and no end of its own. */
  get isStanding(): boolean {
    return this.call?.method === "subscriptions/listen";
  }
}
