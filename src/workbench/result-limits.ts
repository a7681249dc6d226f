import type { CallClient, ClientCall } from "../calls/call.ts";
import type { CallableTool } from "../calls/destination.ts";
import type { OutputReader } from "../calls/stored-results.ts";
import {
  CLIENT_RESULT_LIMITS,
  type ClientResultLimit,
  resultLimitOf,
} from "../clients/result-limits.ts";
import type { ResultSettings, WorkbenchSettings } from "../config/types.ts";
import { type ResultLimit, minBytesOf } from "../results/limit.ts";
import { pageOf, supportsUi } from "../protocol/ui-extension.ts";
import { isObject } from "../wire/messages.ts";
import { offersScripts } from "./meta-tools/definitions.ts";
import { LARGE_RESULTS } from "./meta-tools/hints.ts";

/** The number of bytes that no limit is below. */
export function minBytes({ limit }: ResultSettings): number {
  if (limit === "off") return Infinity;
  return limit === "client" ? Math.min(...CLIENT_RESULT_LIMITS.map(minBytesOf)) : limit;
}

/** Whether a client can run a script that reads a stored result. The command line cannot. */
export function hasRunScript(
  principal: ClientCall["principal"],
  scripts: WorkbenchSettings["scripts"],
): boolean {
  return principal.kind !== "local" && offersScripts(scripts, principal);
}

/** What gets the result of a call. */
export function readerOf(
  { parent, principal, destination }: ClientCall,
  { scripts }: Pick<WorkbenchSettings, "scripts">,
): OutputReader {
  if (parent !== undefined) return "script";
  if (!hasRunScript(principal, scripts)) return "program";
  // The view of one server has no `run_script`.
  return destination?.server === undefined || destination.mayStoreResult ? "agent" : "program";
}

function showsPages({ profile }: CallClient): boolean {
  return profile !== undefined && supportsUi(profile.client.capabilities);
}

/** How large results may be. */
export class ResultLimits {
  /** By what clients state about themselves. */
  readonly #known = new WeakMap<object, ClientResultLimit | undefined>();

  /** Undefined if the client takes a result of any size, or must get it as it is. */
  of(
    call: ClientCall,
    tool: CallableTool,
    settings: Pick<WorkbenchSettings, "results" | "scripts">,
  ): ResultLimit | undefined {
    const { caller, destination } = call;
    const { limit } = settings.results;
    // Scripts and programs take everything, and without scripts a client could not read on.
    if (limit === "off" || readerOf(call, settings) !== "agent") return undefined;
    if (destination?.server === undefined || destination.tool === undefined) return undefined;
    const isNative = destination.argumentsAt === "params.arguments";
    // The client may check the result against the schema.
    if (isNative && tool.value["outputSchema"] !== undefined) return undefined;
    // A page cannot read a description of its data.
    if (isNative && pageOf(tool.value) !== undefined && showsPages(caller)) return undefined;
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

/** The limit of a client that lets a tool ask for more, up to what the client accepts. */
function raised(limit: ClientResultLimit, meta: unknown): ResultLimit {
  const { raisedBy, chars = 0 } = limit;
  if (raisedBy === undefined || !isObject(meta)) return limit;
  const [asked, most] = [meta[raisedBy], LARGE_RESULTS[raisedBy]];
  if (typeof asked !== "number" || typeof most !== "number") return limit;
  return { ...limit, chars: Math.max(chars, Math.min(asked, most)) };
}
