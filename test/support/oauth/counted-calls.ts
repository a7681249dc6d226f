/** Calls of the tool `count` of a world's server, which reports how often each id was executed. */
import { textOf, useTool } from "../calls.ts";
import type { RawClient, Response } from "../raw-client.ts";

export const CALLS = 20;

export const count = (client: RawClient, id: string): Promise<Response> =>
  useTool(client, "dev/api/count", { id });

/** Calls that are sent at once, each with its own id. */
export async function callAtOnce(client: RawClient, prefix: string): Promise<string[]> {
  const ids = Array.from({ length: CALLS }, (_, index) => `${prefix}-${index}`);
  const responses = await Promise.all(ids.map((id) => count(client, id)));
  return responses.map(textOf);
}

/** The answers to `callAtOnce`. */
export const answersOf = (prefix: string): string[] =>
  Array.from({ length: CALLS }, (_, index) => `count ${prefix}-${index}`);
