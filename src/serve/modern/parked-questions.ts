import type { Call } from "../../calls/call.ts";
import type { ServerRequest } from "../../calls/server-request.ts";
import { RPC } from "../../errors.ts";
import { declares } from "../../protocol/answerable.ts";
import { memberText } from "../../wire/members.ts";
import type { IncomingRequest, JsonObject } from "../../wire/messages.ts";

/** The requests that may be answered with "input required". */
const MAY_ASK = new Set(["tools/call", "prompts/get", "resources/read"]);
const NOT_AN_OBJECT = "The answer of the client is not an object";

/** The requests of a legacy server that a modern client has to answer before its call continues. */
export class ParkedQuestions {
  readonly #capabilities: JsonObject;
  readonly #questions = new Map<string, ServerRequest>();
  #next = 1;

  constructor(capabilities: JsonObject) {
    this.#capabilities = capabilities;
  }

  get size(): number {
    return this.#questions.size;
  }

  /** Keeps a request; false if the client does not support it. */
  add(serverRequest: ServerRequest, call: Call | undefined): boolean {
    if (call === undefined || !MAY_ASK.has(call.method)) return false;
    if (!declares(this.#capabilities, serverRequest.method)) return false;
    const key = `question-${this.#next++}`;
    this.#questions.set(key, serverRequest);
    serverRequest.withdrawn = () => this.#questions.delete(key);
    return true;
  }

  /** The requests as `inputRequests`, as the client sees them. */
  get text(): string {
    const members = Array.from(
      this.#questions,
      ([key, { method, params }]) =>
        `"${key}":{"method":${JSON.stringify(method)},"params":${params}}`,
    );
    return `{${members.join(",")}}`;
  }

  /** Forwards the answers in a request, unchanged. What cannot be a result of MCP is not forwarded. */
  answer({ text }: IncomingRequest): void {
    const answers = memberText(memberText(text, "params") ?? "{}", "inputResponses") ?? "{}";
    for (const [key, serverRequest] of this.#questions) {
      const answer = memberText(answers, key);
      if (answer === undefined) continue;
      this.#questions.delete(key);
      if (answer.startsWith("{")) serverRequest.answer(answer);
      else serverRequest.refuse({ code: RPC.invalidParams, message: NOT_AN_OBJECT });
    }
  }

  /** The server cancelled the request. */
  withdraw(from: unknown, requestId: unknown): void {
    for (const serverRequest of this.#questions.values())
      if (serverRequest.from === from && serverRequest.request.id === requestId)
        serverRequest.withdraw(undefined);
  }

  close(): void {
    for (const serverRequest of this.#questions.values()) serverRequest.refuseMethod();
    this.#questions.clear();
  }
}
