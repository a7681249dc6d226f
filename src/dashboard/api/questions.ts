import { isObject } from "../../text/json.ts";
import { memberText } from "../../wire/members.ts";
import type { DashboardContext } from "../context.ts";
import type { QuestionList } from "../contract.ts";
import { RequestError } from "../http/api-error.ts";
import { type Body, invalid, textIn } from "../http/body.ts";
import type { Query } from "../http/query.ts";

const ACTIONS = ["accept", "decline", "cancel"];

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
