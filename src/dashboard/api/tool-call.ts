import { isObject } from "../../text/json.ts";
import { cut } from "../../text/truncate.ts";
import { memberText } from "../../wire/members.ts";
import type { DashboardContext } from "../context.ts";
import type { QuestionList, ToolCallAnswer } from "../contract.ts";
import { apiErrorOf, RequestError } from "../http/api-error.ts";
import { type Body, invalid, textIn } from "../http/body.ts";
import type { Query } from "../http/query.ts";
import { linksIn } from "../web-link.ts";
import { namedIn } from "./servers.ts";
import { MAX_SHOWN_CHARS, shownAnswer } from "./shown-answer.ts";

const ACTIONS = ["accept", "decline", "cancel"];

/** Calls a tool as the owner. Rules, approvals, limits and the audit log apply as for any client. */
export async function callTool(
  { client, questions }: DashboardContext,
  body: Body,
  signal: AbortSignal,
): Promise<ToolCallAnswer> {
  const tool = { ...namedIn(body), name: textIn(body, "name") };
  // As the page wrote it: numbers must not change on the way.
  const args = memberText(body.text, "arguments") ?? "{}";
  if (!isObject(body.value["arguments"] ?? {})) throw invalid("'arguments' must be an object");
  const began = performance.now();
  const durationMs = (): number => Math.round((performance.now() - began) * 10) / 10;
  try {
    const onElicitation = questions.forCall(callIn(body), tool);
    const answer = await client.callTool(tool, args, { signal, onElicitation });
    return { ...shownAnswer(answer), durationMs: durationMs() };
  } catch (error) {
    const shown = apiErrorOf(error);
    const text = [shown.message, ...(shown.hint === undefined ? [] : [shown.hint])].join("\n");
    return {
      outcome: "error",
      text: cut(text, MAX_SHOWN_CHARS),
      isCut: false,
      blocks: [],
      error: shown,
      links: linksIn(error),
      durationMs: durationMs(),
      bytes: 0,
      tokens: 0,
    };
  }
}

/** The text with which a page finds the questions of its call; undefined if it cannot show any. */
function callIn(body: Body): string | undefined {
  if (body.value["call"] === undefined) return undefined;
  const call = textIn(body, "call");
  if (/^[\w-]{8,64}$/.test(call)) return call;
  throw invalid("'call' must be a random text of 8 to 64 letters and digits");
}

/** What a server asks during a call of the page. */
export function listQuestions({ questions }: DashboardContext, query: Query): QuestionList {
  return { questions: questions.list(query.required("call")) };
}

/** Answers a question; the first answer counts. */
export function answerQuestion({ questions }: DashboardContext, body: Body): QuestionList {
  const [call, action] = [textIn(body, "call"), textIn(body, "action")];
  if (!ACTIONS.includes(action)) throw invalid(`'action' must be one of: ${ACTIONS.join(", ")}`);
  const question = questions.find(call, textIn(body, "id"));
  if (question === undefined)
    throw new RequestError(409, "answered", "The server no longer waits for this answer");
  if (action !== "accept" || question.shown.link !== null)
    question.answer(`{"action":"${action}"}`);
  else {
    if (!isObject(body.value["content"])) throw invalid("'content' must be an object");
    // As the page wrote it: numbers must not change on the way.
    const content = memberText(body.text, "content") ?? "{}";
    question.answer(`{"action":"accept","content":${content}}`);
  }
  return { questions: questions.list(call) };
}
