import type { ServerResponse } from "../wire/response.ts";

/** Sends messages to a client. */
export interface ClientOutput {
  /**
   * Forwards a server's answer with the client's id. `insert` holds members, each followed by a
   * comma, to be put at the start of the result.
   */
  answer(idText: string, response: ServerResponse, insert?: string): void;
  /** Answers a request with a message of the workbench. */
  reply(idText: string, message: string): void;
  /** Sends a notification or a request; `about` is the client's request that it belongs to. */
  send(message: string, about: string | undefined): void;
}
