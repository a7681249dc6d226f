import type { CallClient, ClientCall } from "../calls/call.ts";
import type { CallableTool } from "../calls/destination.ts";
import {
  CLIENT_RESULT_LIMITS,
  type ClientResultLimit,
  resultLimitOf,
} from "../clients/result-limits.ts";
import type { ResultSettings, WorkbenchSettings } from "../config/types.ts";
import { type ResultLimit, minBytesOf } from "../results/limit.ts";
import { isObject } from "../wire/messages.ts";
import { offersScripts } from "./meta-tools/definitions.ts";
import { LARGE_RESULTS } from "./meta-tools/hints.ts";

/** The number of bytes that no limit is below. */
export function minBytes({ limit }: ResultSettings): number {
  if (limit === "off") return Infinity;
  return limit === "client" ? Math.min(...CLIENT_RESULT_LIMITS.map(minBytesOf)) : limit;
}

/** How large results may be. */
export class ResultLimits {
  /** By what clients state about themselves. */
  readonly #known = new WeakMap<object, ClientResultLimit | undefined>();

  /** Undefined if the client takes a result of any size, or must get it as it is. */
  of(
    { caller, parent, destination }: ClientCall,
    tool: CallableTool,
    { results: { limit }, scripts }: Pick<WorkbenchSettings, "results" | "scripts">,
  ): ResultLimit | undefined {
    // Scripts and programs take everything, and without scripts a client could not read on.
    if (parent !== undefined || caller.principal.kind === "local") return undefined;
    if (limit === "off" || !offersScripts(scripts, caller.principal)) return undefined;
    if (destination?.server === undefined || destination.tool === undefined) return undefined;
    const isNative = destination.argumentsAt === "params.arguments";
    // The client may check the result against the schema.
    if (isNative && tool.value["outputSchema"] !== undefined) return undefined;
    if (limit !== "client") return { chars: limit };
    const known = this.ofClient(caller);
    return known && raised(known, isNative ? tool.value["_meta"] : LARGE_RESULTS);
  }

  ofClient({ profile }: CallClient): ClientResultLimit | undefined {
    const client = profile?.client;
    if (client === undefined) return undefined;
    if (!this.#known.has(client)) this.#known.set(client, resultLimitOf(client.info?.["name"]));
    return this.#known.get(client);
  }
}

/** The limit of a client that lets a tool ask for more. */
function raised(limit: ClientResultLimit, meta: unknown): ResultLimit {
  const { raisedBy, chars = 0 } = limit;
  const asked = raisedBy !== undefined && isObject(meta) ? meta[raisedBy] : undefined;
  return typeof asked === "number" ? { ...limit, chars: Math.max(chars, asked) } : limit;
}
