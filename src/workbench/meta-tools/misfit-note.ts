import { onOneLine } from "../../search/sentence.ts";
import { signatureOf } from "../../search/signature.ts";
import { cut } from "../../text/truncate.ts";
import { type JsonObject, isObject } from "../../wire/messages.ts";
import { argumentProblems } from "./argument-problems.ts";

const MAX_NAME_CHARS = 128;
const MAX_SIGNATURE_CHARS = 500;
const MAX_PROBLEM_CHARS = 800;

/** Arguments that do not match the schema of their tool. */
export interface Misfit {
  /** How they differ from it. */
  readonly problem: string;
  /** The same with the signature of the tool. */
  readonly note: string;
}

/**
 * What an agent should know about a call that failed: the tool's signature and how the arguments
 * differ from it; undefined if they match, as far as can be decided.
 */
export function misfitOf({ name, inputSchema }: JsonObject, args: unknown): Misfit | undefined {
  const problems = isObject(args)
    ? argumentProblems(args, inputSchema)
    : ["arguments: Expected an object"];
  if (problems.length === 0) return undefined;
  const shown = cut(onOneLine(String(name).slice(0, MAX_NAME_CHARS)), MAX_NAME_CHARS);
  const signature = `${shown}(${signatureOf(inputSchema, MAX_SIGNATURE_CHARS)})`;
  const problem = cut(onOneLine(problems.join("; ")), MAX_PROBLEM_CHARS);
  return { problem, note: `The arguments do not match ${signature}: ${problem}` };
}
