import { workbenchError } from "../../errors.ts";
import { parseJson } from "../../text/json.ts";
import { OPEN_BRACKET, SPACE } from "../../wire/characters.ts";
import { EventStreamReader } from "../../wire/event-stream.ts";
import { elementsOf, memberText } from "../../wire/members.ts";
import { classify, errorText, isObject, writtenId } from "../../wire/messages.ts";

/** A larger answer is not recognised, so that its request gets an error in addition. */
const MAX_EVENT_BYTES = 4 * 1024 * 1024;

/** The requests in a body that another replica handles. Those without an answer get an error if that replica is lost. */
export class OpenRequests {
  readonly #body: Buffer | undefined;
  readonly #isBatch: boolean;
  readonly #answered = new Set<string>();
  /** The latest events, if they were not read yet. */
  #latest: readonly Buffer[] = [];

  constructor(body: Buffer | undefined) {
    this.#body = body;
    this.#isBatch = body?.find((byte) => byte > SPACE) === OPEN_BRACKET;
  }

  /** The client gets these events, which are whole. */
  onEvents(events: readonly Buffer[]): void {
    this.#latest = events;
    // The answer to a single request is the last event, so that it is enough to read that one.
    if (this.#isBatch) this.#readLatest();
  }

  /** The errors for the requests without an answer. */
  get errors(): string[] {
    this.#readLatest();
    return this.#texts().flatMap((text) => {
      const incoming = classify(parseJson(text), text);
      if (incoming.kind !== "request") return [];
      const { idText } = incoming.request;
      if (this.#answered.has(idText)) return [];
      return [errorText(idText, workbenchError("REPLICA_LOST", {}).rpcError)];
    });
  }

  #texts(): readonly string[] {
    const text = this.#body?.toString("utf8") ?? "";
    if (parseJson(text) === undefined) return [];
    return this.#isBatch ? (elementsOf(text) ?? []) : [text];
  }

  #readLatest(): void {
    const reader = new EventStreamReader(MAX_EVENT_BYTES, {
      event: (_type, data) => this.#onMessage(data.text),
      oversized: () => {},
    });
    for (const piece of this.#latest) reader.push(piece);
    this.#latest = [];
  }

  #onMessage(text: string): void {
    const message = parseJson(text);
    if (!isObject(message) || message["method"] !== undefined) return;
    const { id } = message;
    if (typeof id === "string" || typeof id === "number")
      this.#answered.add(writtenId(id, () => memberText(text, "id")));
  }
}
