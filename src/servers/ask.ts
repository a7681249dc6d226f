import { type WorkbenchError, reasonOf } from "../errors.ts";
import { Call, type Caller } from "../relay/call.ts";
import { compact, elementsOf, membersOf } from "../wire/members.ts";
import { type JsonObject, type RpcError, isObject, requestText } from "../wire/messages.ts";
import type { ServerResponse } from "../wire/response.ts";
import type { Connection } from "./connection.ts";
import { ServerProblem } from "./server-problem.ts";

/** A JSON-RPC error that a server returned, kept apart from our own. */
export class ServerRpcError extends Error {
  readonly code = "rpcError";
  readonly rpc: RpcError;

  constructor(rpc: RpcError) {
    super(`${rpc.message} (code ${rpc.code})`);
    this.rpc = rpc;
  }
}

/** A request of the workbench itself, such as `initialize` or a listing. */
export async function ask(
  connection: Connection,
  method: string,
  params: Record<string, unknown>,
  options: AskOptions = {},
): Promise<JsonObject> {
  const { result } = (await askRaw(connection, method, params, options)).parse();
  return isObject(result) ? result : {};
}

export interface AskOptions {
  /** What is asked for, for messages. */
  readonly subject?: string;
  readonly onProgress?: ((params: JsonObject) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

export function askRaw(
  connection: Connection,
  method: string,
  params: Record<string, unknown>,
  { subject = "", onProgress, signal }: AskOptions = {},
): Promise<ServerResponse> {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const settled = (): void => signal?.removeEventListener("abort", cancel);
    const caller: Caller = {
      answered: (_call: Call, response: ServerResponse) => {
        settled();
        const error = errorIn(response);
        if (error === undefined) resolve(response);
        else reject(error);
      },
      failed: (_call: Call, error: WorkbenchError) => {
        settled();
        reject(error);
      },
      progressed: (_call: Call, { params: progress }) => onProgress?.(progress),
      asked: (question) => question.refuseMethod(),
    };
    const call = new Call(caller, "", method, subject, onProgress && 0);
    const problem = connection.admit(call);
    if (problem !== undefined) {
      reject(problem);
      return;
    }
    const cancel = (): void => {
      connection.cancel(call, reasonOf(signal?.reason));
      reject(signal?.reason);
    };
    signal?.addEventListener("abort", cancel, { once: true });
    const meta = {
      ...(isObject(params["_meta"]) && params["_meta"]),
      ...(onProgress && { progressToken: call.id }),
      ...connection.envelope,
    };
    const sent = Object.keys(meta).length > 0 ? { ...params, _meta: meta } : params;
    connection.dispatch(call, requestText(call.id, method, sent));
  });
}

/** What an answer that is an error says. A large one may turn out not to be JSON. */
function errorIn(response: ServerResponse): Error | undefined {
  if (!response.isError) return undefined;
  try {
    const { error } = response.parse();
    return isObject(error) ? new ServerRpcError(error) : new Error(String(error));
  } catch (error) {
    return new ServerProblem("badAnswer", `its answer is not JSON: ${reasonOf(error)}`, error);
  }
}

/** An element of a listing: parsed, and as the server wrote it but for white space. */
export interface ListedItem {
  readonly value: JsonObject;
  readonly text: string;
}

/** How long a listing may be, and who is told what was left out. */
export interface ListingLimits {
  readonly pages: number;
  readonly items: number;
  readonly exceeded?: (limit: "pages" | "items") => void;
}

const LIMITS: ListingLimits = { pages: 100, items: 10_000 };

/**
 * All pages of a listing. Ends on a cursor seen before and at a page cap, so that a server cannot
 * keep us listing for ever; the empty string is a cursor like any other.
 */
export async function askAll(
  connection: Connection,
  method: string,
  key: string,
  limits: ListingLimits = LIMITS,
): Promise<ListedItem[]> {
  const items: ListedItem[] = [];
  const seen = new Set<string>();
  let cursor: string | undefined;
  for (let page = 1; ; page++) {
    const response = await askRaw(connection, method, cursor === undefined ? {} : { cursor });
    const result = response.parse().result;
    const list = isObject(result) ? result[key] : undefined;
    if (!isObject(result) || !Array.isArray(list))
      throw new ServerProblem("badAnswer", `its answer to ${method} has no list '${key}'`);
    for (const item of withTexts(list, response.withId("0"), key)) items.push(item);
    const next = result["nextCursor"];
    const isLast = typeof next !== "string" || seen.has(next);
    const tooMany = items.length > limits.items || (!isLast && items.length === limits.items);
    if (tooMany) limits.exceeded?.("items");
    else if (!isLast && page === limits.pages) limits.exceeded?.("pages");
    if (isLast || tooMany || page === limits.pages) return items.slice(0, limits.items);
    seen.add(next);
    cursor = next;
  }
}

/** Elements that are no objects cannot be used by anybody and are left out. */
function withTexts(list: unknown[], text: string, key: string): ListedItem[] {
  const result = membersOf(text)?.get("result");
  const at = result && membersOf(text, result.start)?.get(key);
  const texts = at && elementsOf(text, at.start);
  const items: ListedItem[] = [];
  for (const [i, value] of list.entries())
    if (isObject(value)) items.push({ value, text: compact(texts?.[i] ?? JSON.stringify(value)) });
  return items;
}
