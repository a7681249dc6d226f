import type { ClientCall } from "../../calls/call.ts";
import { askClient } from "../../calls/client-question.ts";
import type { ServerRef } from "../../calls/identifier.ts";
import { isObject } from "../../text/json.ts";

/** A request to the client to open a URL, during a call. */
export interface UrlQuestion {
  /** Whether the user agreed. */
  readonly answer: Promise<boolean>;
  /** The answer is no longer needed. */
  withdraw(): void;
  /** Notifies a legacy client that the user is done. */
  complete(): void;
}

const COMPLETE = "notifications/elicitation/complete";

/** Asks the client of a call, in the name of the server that the call is for. */
export function askToOpen(
  call: ClientCall,
  place: ServerRef,
  { url, message }: { readonly url: string; readonly message: string },
): UrlQuestion {
  const elicitationId = `workbench-${crypto.randomUUID()}`;
  const isLegacy = call.caller.era === "legacy";
  const params = { mode: "url", ...(isLegacy && { elicitationId }), url, message };
  const { answer, withdraw } = askClient(
    call,
    place,
    params,
    (result) => isObject(result) && result["action"] === "accept",
  );
  return {
    answer,
    withdraw: () => withdraw("the sign-in is complete"),
    complete: () => {
      const done = { method: COMPLETE, params: { elicitationId } };
      if (isLegacy) call.caller.onCallNotification?.(call, done);
    },
  };
}
