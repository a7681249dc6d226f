import type { ServerRef } from "../../calls/identifier.ts";
import { type JsonObject, isObject } from "../../wire/messages.ts";
import type { ServerResponse } from "../../wire/response.ts";

const MAX_ELICITATIONS = 1000;
const MAX_ID_CHARS = 1024;

/**
 * The elicitations by URL that a client was sent. Their ids are the servers' own, so a server may
 * only complete its own ones, and only for the client that it asked.
 */
export class SessionElicitations {
  readonly #asked = new Set<string>();

  /** The client gets a request with these parameters. */
  add(place: ServerRef, { elicitationId: id }: JsonObject): void {
    if (typeof id !== "string" || id.length > MAX_ID_CHARS) return;
    const [oldest] = this.#asked;
    if (this.#asked.size >= MAX_ELICITATIONS && oldest !== undefined) this.#asked.delete(oldest);
    this.#asked.add(keyOf(place, id));
  }

  /** The client gets an error response that asks for elicitation. */
  addFrom(place: ServerRef, response: ServerResponse): void {
    if (!response.mentions('"elicitations"')) return;
    const data = response.parse().error?.data;
    const asked = isObject(data) ? data["elicitations"] : undefined;
    if (Array.isArray(asked))
      for (const params of asked) if (isObject(params)) this.add(place, params);
  }

  has(place: ServerRef, { elicitationId: id }: JsonObject): boolean {
    return typeof id === "string" && this.#asked.has(keyOf(place, id));
  }
}

function keyOf({ toolbox, server }: ServerRef, id: string): string {
  return JSON.stringify([toolbox, server, id]);
}
