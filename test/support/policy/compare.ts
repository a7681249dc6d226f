import * as fc from "fast-check";
import { answerTo } from "./ask-policy.ts";
import { type Case, policyCase } from "./policy-cases.ts";
import { type Json, type Question, actionFor, allowsOthers } from "./reference-policy.ts";

/** The number of cases for each answer. */
export type Tally = Record<"sent" | "ask" | "deny" | "not found", number>;

/** Compares the policy step with the reference in random cases; throws at the first difference. */
export async function comparePolicies(numRuns: number): Promise<Tally> {
  const tally: Tally = { sent: 0, ask: 0, deny: 0, "not found": 0 };
  await fc.assert(
    fc.asyncProperty(policyCase, async (given) => {
      const answer = await answerTo(given);
      tally[answer]++;
      const expected = expectedFor(given);
      if (!expected.includes(answer))
        throw new Error(`${answer} instead of ${expected.join(" or ")}`);
    }),
    { numRuns },
  );
  return tally;
}

/** A denied call may be answered like one of a tool that does not exist. */
const ANSWERS = { allow: ["sent"], ask: ["ask"], deny: ["deny", "not found"] };

function expectedFor(given: Case): readonly string[] {
  const { method, levels, client } = given;
  const action = actionFor(sentQuestion(given));
  if (method === "tools/call") return ANSWERS[action];
  if (!allowsOthers(levels, client.name))
    // The tasks of a client exist as long as it can have started them.
    return method === "tasks/get"
      ? ["sent", ...(action === "deny" ? ["not found"] : [])]
      : ANSWERS.deny;
  return ["sent"];
}

/** The question with the arguments that are sent. */
function sentQuestion(given: Case): Question {
  if (given.fixed === undefined) return given;
  const { members } = given.args as { members: Readonly<Record<string, Json>> };
  const fixed = jsonOf(JSON.parse(given.fixed));
  return { ...given, args: { members: { ...members, fixed } } };
}

function jsonOf(value: unknown): Json {
  if (Array.isArray(value)) return value.map(jsonOf);
  if (value === null) return null;
  return typeof value === "string" ? { text: value } : { written: String(value) };
}
