import { RPC } from "../errors.ts";
import { memberText, withMembers } from "../wire/members.ts";
import { type IncomingRequest, type RpcError, requestMessage } from "../wire/messages.ts";
import type { ServerResponse } from "../wire/response.ts";
import { type ClientCall, askCaller } from "./call.ts";
import { inputResultIn } from "./input-requests.ts";
import type { MoreInput } from "./more-input.ts";
import { ServerRequest, type RequestSource } from "./server-request.ts";

/** The maximum number of rounds: a server that is not satisfied after this many never will be. */
const MAX_ROUNDS = 20;

/** The input that a modern server still needs. */
export interface NeededInput {
  /** The input requests by the server's keys. */
  readonly questions: ReadonlyMap<string, IncomingRequest>;
  /** The state that has to be sent back to the server, as JSON. */
  readonly requestState: string | undefined;
}

/**
 * Returns the input that a modern server asks for in its response, if it does; an error if readers
 * could understand the response differently.
 */
export function inputRequired(response: ServerResponse): NeededInput | RpcError | undefined {
  const asked = inputResultIn(response);
  if (asked === undefined || "code" in asked) return asked;
  if (!asked.endsCall) return undefined;
  const questions = new Map<string, IncomingRequest>();
  for (const [key, { method, params }] of asked.requests)
    questions.set(key, incomingRequest(method, params));
  return { questions, requestState: memberText(asked.text, "requestState") };
}

function incomingRequest(method: string, given: string): IncomingRequest {
  const params = withElicitationId(given);
  const text = requestMessage("0", method, params);
  return { id: 0, idText: "0", method, params: JSON.parse(params), text };
}

/** Legacy clients identify a URL elicitation by an id, which modern servers no longer send. */
function withElicitationId(params: string): string {
  if (memberText(params, "mode") !== '"url"' || memberText(params, "elicitationId")) return params;
  return withMembers(params, { elicitationId: `"workbench-${crypto.randomUUID()}"` });
}

/**
 * Sends a modern server's input requests to a legacy client, all at once. Returns the client's
 * error if it refused one: its call cannot continue, because the server would only ask again.
 */
export async function collectInput(
  call: ClientCall,
  { questions, requestState }: NeededInput,
  source: RequestSource,
): Promise<MoreInput | RpcError> {
  if (++call.inputRounds > MAX_ROUNDS) {
    const message = `The server asked for input ${MAX_ROUNDS} times without completing`;
    return { code: RPC.internal, message };
  }
  const asked: ServerRequest[] = [];
  const withdraw = (): void => {
    for (const serverRequest of asked) serverRequest.withdraw("the request was cancelled");
  };
  call.signal.addEventListener("abort", withdraw, { once: true });
  try {
    const answers = await Promise.all(
      Array.from(questions, async ([key, request]) => {
        const answer = await answerTo(request, source, (serverRequest) => {
          asked.push(serverRequest);
          askCaller(serverRequest, call);
        });
        return `${JSON.stringify(key)}:${answer}`;
      }),
    );
    return { inputResponses: `{${answers.join(",")}}`, requestState };
  } catch (refused) {
    withdraw();
    return refused as RpcError;
  } finally {
    call.signal.removeEventListener("abort", withdraw);
  }
}

/** The client's answer, unchanged; rejects with the client's error. */
function answerTo(
  request: IncomingRequest,
  { place, mayAsk }: RequestSource,
  ask: (serverRequest: ServerRequest) => void,
): Promise<string> {
  return new Promise((resolve, reject) => {
    const send = (message: string): void => {
      const { error, method } = JSON.parse(message) as { error?: RpcError; method?: string };
      // The client's progress is dropped: modern servers do not ask for it.
      if (method !== undefined) return;
      if (error === undefined) resolve(memberText(message, "result") ?? "null");
      else reject(error);
    };
    ask(new ServerRequest(request, { place, mayAsk, send }));
  });
}
