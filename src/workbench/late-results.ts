import type { CallClient, ClientCall, LargeResults } from "../calls/call.ts";
import type { CallableTool } from "../calls/destination.ts";
import type { Principal } from "../calls/principal.ts";
import type { StoredResults } from "../calls/stored-results.ts";
import {
  type ClientResultLimit,
  CLIENT_RESULT_LIMITS,
  resultLimitOf,
} from "../clients/result-limits.ts";
import type { ResultSettings, WorkbenchSettings } from "../config/types.ts";
import type { LargeResults as StoredLargeResults } from "../results/large-results.ts";
import { type ResultLimit, mayExceed, minBytesOf } from "../results/limit.ts";
import { type IncomingRequest, isObject } from "../wire/messages.ts";
import type { ServerResponse } from "../wire/response.ts";
import { offersScripts } from "./meta-tools/definitions.ts";
import { LARGE_RESULTS } from "./meta-tools/hints.ts";
import type { WorkbenchHost } from "./workbench-host.ts";

export interface LateResultsContext {
  readonly host: Pick<WorkbenchHost, "log">;
  readonly settings: Pick<WorkbenchSettings, "results" | "limits" | "scripts">;
}

/** A request refers to a stored result only if it contains this. */
const REFERENCE = '"$result"';

/**
 * Decides which results are too large for their client. Everything that stores them is loaded with the
 * first of them; until then, a result costs a comparison.
 */
export class LateResults implements LargeResults {
  minBytes = Infinity;
  readonly #context: LateResultsContext;
  /** By what clients state about themselves. */
  #limits = new WeakMap<object, ClientResultLimit | undefined>();
  #loading: Promise<StoredLargeResults> | undefined;
  #loaded: StoredLargeResults | undefined;
  #isClosed = false;
  #endThread = (): void => {};

  constructor(context: LateResultsContext) {
    this.#context = context;
  }

  configure({ limit }: ResultSettings): void {
    if (limit === "off") this.minBytes = Infinity;
    else if (limit === "client") this.minBytes = Math.min(...CLIENT_RESULT_LIMITS.map(minBytesOf));
    else this.minBytes = limit;
  }

  replace(
    call: ClientCall,
    tool: CallableTool,
    response: ServerResponse,
  ): Promise<ServerResponse> | undefined {
    const limit = this.#limitOf(call, tool);
    if (limit === undefined || !mayExceed(limit, response)) return undefined;
    return this.#load().then((results) => results.replace(call, response, limit));
  }

  resolve(client: CallClient, request: IncomingRequest): Promise<IncomingRequest> | undefined {
    const results = this.#loaded;
    if (results === undefined || !results.mayRefer(client)) return undefined;
    return request.text.includes(REFERENCE) ? results.resolve(client, request) : undefined;
  }

  of(client: CallClient): StoredResults {
    return {
      read: async (id) => this.#loaded?.of(client).read(id),
      store: async (text) => (await this.#load()).of(client).store(text),
    };
  }

  /** The most characters that the client takes from a tool of the workbench. */
  maxChars(client: CallClient): number {
    const { chars = Infinity, bytes = Infinity } = this.#limitOfClient(client) ?? {};
    return Math.min(chars, bytes);
  }

  /** Removes the results of a client that is gone, or of all clients of a principal. */
  end(principal: Principal, client?: string): void {
    this.#loaded?.end({ principal: principal.id, ...(client !== undefined && { client }) });
  }

  close(): void {
    this.#isClosed = true;
    this.#loaded?.close();
    this.#endThread();
  }

  /** Undefined if the client takes a result of any size, or must get it as it is. */
  #limitOf(call: ClientCall, tool: CallableTool): ResultLimit | undefined {
    const { caller, parent, destination } = call;
    // Scripts and programs take everything, and without scripts a client could not read on.
    if (parent !== undefined || caller.principal.kind === "local") return undefined;
    if (!offersScripts(this.#context.settings.scripts, caller.principal)) return undefined;
    if (destination?.server === undefined || destination.tool === undefined) return undefined;
    const isNative = destination.argumentsAt === "params.arguments";
    // The client may check the result against the schema.
    if (isNative && tool.value["outputSchema"] !== undefined) return undefined;
    const { limit } = this.#context.settings.results;
    if (limit === "off") return undefined;
    if (limit !== "client") return { chars: limit };
    const known = this.#limitOfClient(caller);
    return known && raised(known, isNative ? tool.value["_meta"] : LARGE_RESULTS);
  }

  #limitOfClient({ profile }: CallClient): ClientResultLimit | undefined {
    const client = profile?.client;
    if (client === undefined) return undefined;
    if (!this.#limits.has(client)) this.#limits.set(client, resultLimitOf(client.info?.["name"]));
    return this.#limits.get(client);
  }

  #load(): Promise<StoredLargeResults> {
    this.#loading ??= this.#start();
    return this.#loading;
  }

  async #start(): Promise<StoredLargeResults> {
    const { host } = this.#context;
    const [{ LargeResults }, { ResultThread }] = await Promise.all([
      import("../results/large-results.ts"),
      import("../results/thread.ts"),
    ]);
    const thread = new ResultThread();
    this.#endThread = () => thread.close();
    this.#loaded = new LargeResults({
      settings: () => {
        const { results, limits } = this.#context.settings;
        return { ...results, messageBytes: limits.messageBytes };
      },
      debug: (message) => host.log.debug(message),
      run: (job) => thread.run(job),
    });
    if (this.#isClosed) this.close();
    return this.#loaded;
  }
}

/** The limit of a client that lets a tool ask for more. */
function raised(limit: ClientResultLimit, meta: unknown): ResultLimit {
  const { raisedBy, chars = 0 } = limit;
  const asked = raisedBy !== undefined && isObject(meta) ? meta[raisedBy] : undefined;
  return typeof asked === "number" ? { ...limit, chars: Math.max(chars, asked) } : limit;
}
