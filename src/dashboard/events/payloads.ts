import type { ClientCall } from "../../calls/call.ts";
import type { Outcome } from "../../calls/outcome.ts";
import type { Redact } from "../../secrets/redact.ts";
import { redactStart } from "../../secrets/redact-start.ts";
import { memberText } from "../../wire/members.ts";

/** What a call was about, for people. */
export interface Payloads {
  readonly arguments: string;
  readonly result: string;
}

/** The parameters and the result of a call, shortened and without known secrets. */
export function payloadsOf(call: ClientCall, outcome: Outcome, redact: Redact): Payloads {
  const params = memberText(call.request.text, "params") ?? "{}";
  return { arguments: redactStart(redact, params), result: redactStart(redact, textOf(outcome)) };
}

function textOf(outcome: Outcome): string {
  switch (outcome.kind) {
    case "response":
      return outcome.response.withId("0");
    case "result":
      return typeof outcome.result === "string" ? outcome.result : JSON.stringify(outcome.result);
    case "failure":
    case "refusal":
      return outcome.error.message;
    case "cancelled":
      return "";
  }
}
