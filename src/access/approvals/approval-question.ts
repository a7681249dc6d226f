import type { ClientCall } from "../../calls/call.ts";
import { askClient } from "../../calls/client-question.ts";
import type { ServerRef } from "../../calls/identifier.ts";
import { isObject } from "../../text/json.ts";
import { inexactKey, shapeOf } from "../../wire/exact-keys.ts";
import { type ApprovalDecision, DECISIONS } from "./approval-record.ts";

/** What decides in a response. Written twice or almost alike, it is not clear what the user meant. */
const DECIDING = shapeOf(["result"], {
  result: shapeOf(["action", "content"], { content: shapeOf(["decision"]) }),
});

/** A question to the user of a client. */
export interface ApprovalQuestion {
  /** Undefined if the user did not decide: an empty form is not an approval. */
  readonly answer: Promise<ApprovalDecision | undefined>;
  /** The answer is no longer needed. */
  withdraw(): void;
}

/** Whether the client of a call can show a form, and has to. An empty object means that it can. */
export function canShowForms({ principal, caller: { profile } }: ClientCall): boolean {
  if (principal.seesApprovals === true) return false;
  const elicitation = profile?.client.capabilities["elicitation"];
  if (!isObject(elicitation)) return false;
  return Object.keys(elicitation).length === 0 || isObject(elicitation["form"]);
}

/** Asks the user through the client of a call. */
export function askInForm(call: ClientCall, place: ServerRef, message: string): ApprovalQuestion {
  const requestedSchema = {
    type: "object",
    properties: {
      decision: {
        type: "string",
        title: "Decision",
        description:
          "once: this call; session: this tool until you disconnect; always: this tool until it changes; deny: not at all",
        enum: DECISIONS,
      },
    },
    required: ["decision"],
  };
  const isModern = call.caller.era === "modern";
  const params = { ...(isModern && { mode: "form" }), message, requestedSchema };
  const { answer, withdraw } = askClient(call, place, params, (result, response) =>
    inexactKey(response, DECIDING) === undefined ? decisionIn(result) : undefined,
  );
  return { answer, withdraw: () => withdraw("it was answered elsewhere") };
}

function decisionIn(result: unknown): ApprovalDecision | undefined {
  if (!isObject(result)) return undefined;
  if (result["action"] === "decline") return "deny";
  const content = result["content"];
  if (result["action"] !== "accept" || !isObject(content)) return undefined;
  return DECISIONS.find((decision) => decision === content["decision"]);
}
