import type { ClientCall } from "../../calls/client-call.ts";
import type { Outcome } from "../../calls/outcome.ts";
import type { WorkbenchError } from "../../errors.ts";
import { errorText, resultText } from "../../wire/messages.ts";
import type { ServerResponse } from "../../wire/response.ts";
import type { ClientOutput } from "../client-output.ts";
import { ownAnswer } from "../own-answer.ts";
import { responseWithOrigin, shownResponse } from "../server-requests.ts";
import type { SessionClient } from "./session-client.ts";

/** The failures of the workbench itself, by the id of the request, as JSON. */
export type OnFailure = (idText: string, error: WorkbenchError) => void;

/** Writes the answers to the calls of a legacy client. */
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
      this.#respond(call, outcome.response);
      return;
    }
    if (outcome.kind === "failure") this.#onFailure?.(idText, outcome.error);
    const answer = ownAnswer(call, outcome);
    if (answer?.error) this.#output.reply(idText, errorText(idText, answer.error));
    else if (answer) this.#output.reply(idText, resultText(idText, answer.result));
  }

  /** A result that asks for input means nothing to a legacy client; an error may ask for it, too. */
  #respond({ request: { idText }, route }: ClientCall, response: ServerResponse): void {
    if (!response.isError || route === undefined) {
      this.#output.answer(idText, response);
      return;
    }
    const { questions, surface } = this.#client;
    questions.elicitations.addFrom(route.place, response);
    const shown = responseWithOrigin(response, route, surface.isTransparent);
    if (shown === undefined) this.#output.answer(idText, response);
    else this.#output.reply(idText, shownResponse(idText, shown));
  }
}
