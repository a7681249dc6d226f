import { isObject } from "../text/json.ts";
import { requestMessage } from "../wire/messages.ts";
import { type ClientCall, askCaller } from "./call.ts";
import type { ServerRef } from "./identifier.ts";
import { ServerRequest } from "./server-request.ts";

const METHOD = "elicitation/create";

/** A question of the workbench to the client of a call. */
export interface ClientQuestion<T> {
  readonly answer: Promise<T>;
  /** The answer is no longer needed. */
  withdraw(reason: string): void;
}

/**
 * Asks the client of a call, in the name of the server that the call is for. `read` gets the result of
 * the client and the text of its response.
 */
export function askClient<T>(
  call: ClientCall,
  place: ServerRef,
  params: Readonly<Record<string, unknown>>,
  read: (result: unknown, response: string) => T,
): ClientQuestion<T> {
  const text = requestMessage("0", METHOD, JSON.stringify(params));
  let request: ServerRequest | undefined;
  const answer = new Promise<T>((resolve) => {
    const send = (response: string): void => {
      const message: unknown = JSON.parse(response);
      if (isObject(message) && message["method"] === undefined)
        resolve(read(message["result"], response));
    };
    request = new ServerRequest(
      { id: 0, idText: "0", method: METHOD, params, text },
      // The setting `questions` is about what servers ask; this is a question of the workbench.
      { place, mayAsk: "always", send },
    );
    askCaller(request, call);
  });
  return { answer, withdraw: (reason) => request?.withdraw(reason) };
}
