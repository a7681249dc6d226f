import type { ClientCall } from "../../calls/call.ts";
import type { Outcome } from "../../calls/outcome.ts";
import { errorText, resultText } from "../../wire/messages.ts";
import type { ServerResponse } from "../../wire/response.ts";
import type { ClientOutput } from "../client-output.ts";
import { ownAnswer } from "../own-answer.ts";
import { responseWithOrigin, shownResponse } from "../server-requests.ts";
import { completeMembers, completed, missingResource, replacedMembers } from "./complete-result.ts";

/** Writes an answer. The client may have sent its request again under another id. */
export type WriteAnswer = (output: ClientOutput, idText: string) => void;

/** How a modern client is answered; undefined if it gave its call up. */
export function modernAnswer(
  call: ClientCall,
  outcome: Outcome,
  isTransparent: boolean,
): WriteAnswer | undefined {
  if (outcome.kind === "response") return responseAnswer(call, outcome.response, isTransparent);
  const answer = ownAnswer(call, outcome);
  if (answer === undefined) return undefined;
  return (output, idText) => {
    const message = answer.error
      ? errorText(idText, answer.error)
      : resultText(idText, completed(call.method, answer.result));
    output.reply(idText, message);
  };
}

function responseAnswer(
  { method, route }: ClientCall,
  response: ServerResponse,
  isTransparent: boolean,
): WriteAnswer {
  const shown = route && responseWithOrigin(response, route, isTransparent);
  if (shown !== undefined)
    return (output, idText) => output.reply(idText, shownResponse(idText, shown));
  if (route?.hello.era !== "legacy") return (output, idText) => output.answer(idText, response, "");
  return (output, idText) => {
    const missing = missingResource(method, response, idText);
    const replaced = missing === undefined ? replacedMembers(method, response) : undefined;
    if (missing !== undefined) output.reply(idText, missing);
    else if (replaced !== undefined) output.reply(idText, resultText(idText, replaced));
    else output.answer(idText, response, completeMembers(method));
  };
}
