import { RPC } from "../../errors.ts";
import type { Call } from "../../relay/call.ts";
import { Question, type RequestSource } from "../../relay/question.ts";
import { memberText, withMembers } from "../../wire/members.ts";
import type { IncomingRequest, RpcError } from "../../wire/messages.ts";
import type { ServerResponse } from "../../wire/response.ts";
import { inputResultIn } from "../input-requests.ts";

/** A server that has not got what it wants by then will never get it. */
const MOST_ROUNDS = 20;

/** What a modern server still wants to know. */
export interface WantedInput {
  /** The questions by the server's keys. */
  readonly questions: ReadonlyMap<string, IncomingRequest>;
  /** What the server wants to be told again, as JSON. */
  readonly requestState: string | undefined;
}

/**
 * What a modern server still wants to know, if that is what its response says; an error if it cannot
 * be told for certain.
 */
export function inputRequired(response: ServerResponse): WantedInput | RpcError | undefined {
  const asked = inputResultIn(response);
  if (asked === undefined || "code" in asked) return asked;
  if (!asked.endsCall) return undefined;
  const questions = new Map<string, IncomingRequest>();
  for (const [key, { method, params }] of asked.requests)
    questions.set(key, question(method, params));
  return { questions, requestState: memberText(asked.text, "requestState") };
}

function question(method: string, given: string): IncomingRequest {
  const params = withElicitationId(given);
  const text = `{"jsonrpc":"2.0","id":0,"method":${JSON.stringify(method)},"params":${params}}`;
  return { id: 0, idText: "0", method, params: JSON.parse(params), text };
}

let nextElicitation = 1;

/** Legacy clients know a URL elicitation by an id, which modern servers no longer give. */
function withElicitationId(params: string): string {
  if (memberText(params, "mode") !== '"url"' || memberText(params, "elicitationId")) return params;
  return withMembers(params, { elicitationId: `"workbench-${nextElicitation++}"` });
}

/**
 * Asks a legacy client, all at once, what a modern server wants to know, and sends the call again
 * with the answers. Gives the error with which the client refused to answer, if it did: its request
 * cannot go on then, and the server would only ask again.
 */
export async function collectInput(
  call: Call,
  { questions, requestState }: WantedInput,
  source: RequestSource,
  ask: (question: Question) => void,
): Promise<RpcError | undefined> {
  if (++call.rounds > MOST_ROUNDS) {
    const message = `The server asked for more ${MOST_ROUNDS} times and does not come to an end`;
    return { code: RPC.internal, message };
  }
  const answers: string[] = [];
  try {
    await Promise.all(
      Array.from(questions, async ([key, request]) => {
        answers.push(`${JSON.stringify(key)}:${await answerTo(request, source, ask)}`);
      }),
    );
  } catch (refusal) {
    return refusal as RpcError;
  }
  if (!call.cancelled) call.again?.({ inputResponses: `{${answers.join(",")}}`, requestState });
  return undefined;
}

/** The client's answer as it wrote it; rejects with its error if it has none. */
function answerTo(
  request: IncomingRequest,
  { place, mayAsk }: RequestSource,
  ask: (question: Question) => void,
): Promise<string> {
  return new Promise((resolve, reject) => {
    const send = (message: string): void => {
      const { error, method } = JSON.parse(message) as { error?: RpcError; method?: string };
      // Progress of the client has nobody to go to.
      if (method !== undefined) return;
      if (error === undefined) resolve(memberText(message, "result") ?? "null");
      else reject(error);
    };
    ask(new Question(request, { place, mayAsk, send }));
  });
}
