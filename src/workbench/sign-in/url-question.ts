import type { ClientCall } from "../../calls/call.ts";
import type { ServerRef } from "../../calls/identifier.ts";
import { ServerRequest } from "../../calls/server-request.ts";
import { requestMessage } from "../../wire/messages.ts";

/** A request to the client to open a URL, during a call. */
export interface UrlQuestion {
  /** Whether the user agreed. */
  readonly answer: Promise<boolean>;
  /** The answer is no longer needed. */
  withdraw(): void;
  /** Notifies a legacy client that the user is done. */
  complete(): void;
}

const METHOD = "elicitation/create";
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
  const text = requestMessage("0", METHOD, JSON.stringify(params));
  let request: ServerRequest | undefined;
  const answer = new Promise<boolean>((resolve) => {
    const send = (response: string): void => {
      const { method, result } = JSON.parse(response) as {
        method?: string;
        result?: { action?: unknown };
      };
      if (method === undefined) resolve(result?.action === "accept");
    };
    request = new ServerRequest(
      { id: 0, idText: "0", method: METHOD, params, text },
      // The setting `questions` is about what servers ask; this is a question of the workbench.
      { place, mayAsk: "always", send },
    );
    call.caller.onServerRequest(request, call);
  });
  return {
    answer,
    withdraw: () => request?.withdraw("the sign-in is complete"),
    complete: () => {
      const done = { method: COMPLETE, params: { elicitationId } };
      if (isLegacy) call.caller.onCallNotification?.(call, done);
    },
  };
}
