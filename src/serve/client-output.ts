import type { ServerResponse } from "../wire/response.ts";

/** The way back to a client. */
export interface ClientOutput {
  /**
   * Passes on a server's answer with the client's id in it. `insert` holds members, each with a
   * comma behind, to be put at the start of the result.
   */
  answer(idText: string, response: ServerResponse, insert?: string): void;
  /** Answers a request with a message of ours. */
  reply(idText: string, message: string): void;
  /** Sends a notification or a request; `about` is the request of the client it belongs to. */
  send(message: string, about: string | undefined): void;
}
