import { reasonOf } from "../../errors.ts";
import { Call, type CallRegistry, type Caller } from "../../calls/call.ts";
import { cancel } from "../../calls/settle.ts";
import { type JsonObject, type RpcError, isObject, requestText } from "../../wire/messages.ts";
import type { ServerResponse } from "../../wire/response.ts";
import { ServerProblem } from "../server-problem.ts";

/** A JSON-RPC error returned by a server, as opposed to an error of the workbench. */
export class ServerRpcError extends Error {
  readonly code = "rpcError";
  readonly rpc: RpcError;

  constructor(rpc: RpcError) {
    super(`${rpc.message} (code ${rpc.code})`);
    this.rpc = rpc;
  }
}

/** A connection, as requests of the workbench itself need it. */
export interface AskTarget {
  readonly calls: CallRegistry;
  /** What each of them says about the client to a modern server. */
  readonly envelope: JsonObject | undefined;
}

/** A request of the workbench itself, such as `initialize` or a listing. */
export async function ask(
  connection: AskTarget,
  method: string,
  params: Record<string, unknown>,
  options: AskOptions = {},
): Promise<JsonObject> {
  const { result } = (await askRaw(connection, method, params, options)).parse();
  return isObject(result) ? result : {};
}

export interface AskOptions {
  /** What is requested, for messages. */
  readonly subject?: string;
  readonly onProgress?: ((params: JsonObject) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
  /** False for a request whose caller limits its time. */
  readonly hasTimeLimit?: boolean;
}

export function askRaw(
  connection: AskTarget,
  method: string,
  params: Record<string, unknown>,
  { subject = "", onProgress, signal, hasTimeLimit }: AskOptions = {},
): Promise<ServerResponse> {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const caller: Caller = {
      onSettled: (_call, outcome) => {
        signal?.removeEventListener("abort", abort);
        if (outcome.kind === "response") {
          const error = errorIn(outcome.response);
          if (error === undefined) resolve(outcome.response);
          else reject(error);
        } else if (outcome.kind === "failure") reject(outcome.error);
        else reject(signal?.reason);
      },
      onProgress: (_call: Call, { params: progress }) => onProgress?.(progress),
      onServerRequest: (question) => question.refuseMethod(),
    };
    const call = new Call(caller, "workbench", method, subject, onProgress && "0");
    const problem = connection.calls.register(call, hasTimeLimit);
    if (problem !== undefined) {
      reject(problem);
      return;
    }
    const abort = (): void => cancel(call, reasonOf(signal?.reason));
    signal?.addEventListener("abort", abort, { once: true });
    const meta = {
      ...(isObject(params["_meta"]) && params["_meta"]),
      ...(onProgress && { progressToken: call.id }),
      ...connection.envelope,
    };
    const sent = Object.keys(meta).length > 0 ? { ...params, _meta: meta } : params;
    connection.calls.submit(call, requestText(call.id, method, sent));
  });
}

/** The message of an error response. A large one may turn out not to be JSON. */
function errorIn(response: ServerResponse): Error | undefined {
  if (!response.isError) return undefined;
  try {
    const { error } = response.parse();
    return isObject(error) ? new ServerRpcError(error) : new Error(String(error));
  } catch (error) {
    return new ServerProblem("badAnswer", `its answer is not JSON: ${reasonOf(error)}`, error);
  }
}
