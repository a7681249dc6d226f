import type { ServerResponse } from "../wire/response.ts";

/** The way back to a client. */
export interface ClientOutput {
  /** Passes on a server's answer with the client's id in it. */
  answer(idText: string, response: ServerResponse): void;
  /** Sends a message of ours, as JSON. */
  message(text: string): void;
}
