import type { ClientCall } from "../../calls/call.ts";
import type { Outcome } from "../../calls/outcome.ts";
import { RPC, type WorkbenchError } from "../../errors.ts";
import { type RpcError, errorText, resultText } from "../../wire/messages.ts";
import type { ServerResponse } from "../../wire/response.ts";
import type { ClientOutput } from "../client-output.ts";
import { ownAnswer } from "../own-answer.ts";
import { responseWithOrigin, shownResponse } from "../server-requests.ts";
import type { SessionClient } from "./session-client.ts";

/** The failures of the workbench itself, by the id of the request, as JSON. */
export type OnFailure = (idText: string, error: WorkbenchError) => void;

/** Writes all answers to a legacy client except the results of servers, which are only forwarded. */
export class SessionAnswers {
  readonly #output: ClientOutput;
  readonly #client: Pick<SessionClient, "questions" | "surface">;
  readonly #onFailure: OnFailure | undefined;

  constructor(
    output: ClientOutput,
    client: Pick<SessionClient, "questions" | "surface">,
    onFailure: OnFailure | undefined,
  ) {
    this.#output = output;
    this.#client = client;
    this.#onFailure = onFailure;
  }

  send(call: ClientCall, outcome: Outcome): void {
    const { idText } = call.request;
    if (outcome.kind === "response") {
      this.#sendError(call, outcome.response);
      return;
    }
    if (outcome.kind === "failure") this.#onFailure?.(idText, outcome.error);
    const answer = ownAnswer(call, outcome);
    if (answer?.error) this.#refuse(idText, answer.error);
    else if (answer) this.#output.reply(idText, resultText(idText, answer.result));
  }

  /** Refuses a request with the id of a request that is still in progress. */
  refuseUsedId(idText: string): void {
    const message = "Invalid request: this id is still in use";
    this.#refuse(idText, { code: RPC.invalidRequest, message });
  }

  /** An error may ask for elicitation by URL: the request is recorded, and names its server. */
  #sendError({ request: { idText }, route }: ClientCall, response: ServerResponse): void {
    if (route !== undefined) this.#client.questions.elicitations.addFrom(route.place, response);
    const { isTransparent } = this.#client.surface;
    const shown = route && responseWithOrigin(response, route, isTransparent);
    if (shown === undefined) this.#output.answer(idText, response);
    else this.#output.reply(idText, shownResponse(idText, shown));
  }

  #refuse(idText: string, error: RpcError): void {
    this.#output.reply(idText, errorText(idText, error));
  }
}
