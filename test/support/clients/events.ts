/** Server-sent events in an HTTP response that may still be arriving. */
import type { Message } from "./json-rpc.ts";

/** Returns the data of each event as soon as the event is complete. */
export class EventReader {
  #rest = "";

  read(text: string): string[] {
    // Searching only the new part keeps a long event from being searched again and again.
    const from = Math.max(0, this.#rest.length - 1);
    this.#rest += text;
    if (!this.#rest.includes("\n\n", from)) return [];
    const events = this.#rest.split("\n\n");
    this.#rest = events.pop() ?? "";
    return events.map(dataOf).filter((data) => data !== undefined);
  }
}

function dataOf(event: string): string | undefined {
  const lines = event.split("\n").filter((line) => line.startsWith("data:"));
  if (lines.length === 0) return undefined;
  return lines.map((line) => line.slice("data:".length).replace(/^ /, "")).join("\n");
}

/** The messages of a body, in order: one of JSON, or those of an event stream. */
export function messagesIn(text: string): Message[] {
  if (text.startsWith("{")) return [JSON.parse(text) as Message];
  return new EventReader()
    .read(text)
    .filter((data) => data !== "")
    .map((data) => JSON.parse(data) as Message);
}
