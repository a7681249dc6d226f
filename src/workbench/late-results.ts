import { existsSync } from "node:fs";
import { join } from "node:path";

import type { CallClient, ClientCall, LargeResults } from "../calls/call.ts";
import type { ArgumentsAt, CallableTool } from "../calls/destination.ts";
import { type Principal, accessIdOf } from "../calls/principal.ts";
import type { StoredResults, TextLimit } from "../calls/stored-results.ts";
import { stateDir } from "../config/directories.ts";
import type { ResultSettings, WorkbenchSettings } from "../config/types.ts";
import type {
  LargeResults as StoredLargeResults,
  RemoteResults,
  ResultOwner,
} from "../results/large-results.ts";
import { mayExceed } from "../results/limit.ts";
import { mayHaveReference } from "../results/references.ts";
import type { IncomingRequest } from "../wire/messages.ts";
import type { ServerResponse } from "../wire/response.ts";
import { ResultLimits, hasRunScript, minBytes } from "./result-limits.ts";
import type { WorkbenchHost } from "./workbench-host.ts";

export interface LateResultsContext {
  readonly host: Pick<WorkbenchHost, "log">;
  readonly settings: Pick<WorkbenchSettings, "results" | "limits" | "scripts">;
}

/** Where results are stored. */
function resultsRoot(): string {
  return join(stateDir(), "results");
}

const NOTE_CHARS = 500;
/** A new client has the workbench to itself for this long. */
const FIRST_TASKS_MS = 1000;

/**
 * Decides which results are too large for their client. Everything that stores them is loaded with the
 * first of them; until then, a result costs a comparison.
 */
export class LateResults implements LargeResults {
  minBytes = Infinity;
  isUsed = false;
  /** The results of other replicas, if there are any. */
  remote: RemoteResults | undefined;
  readonly #context: LateResultsContext;
  readonly #limits = new ResultLimits();
  #loading: Promise<StoredLargeResults> | undefined;
  #loaded: StoredLargeResults | undefined;
  #hasClient = false;
  #isClosed = false;
  #endThread = (): void => {};

  constructor(context: LateResultsContext) {
    this.#context = context;
  }

  configure(settings: ResultSettings): void {
    this.minBytes = minBytes(settings);
  }

  replace(
    call: ClientCall,
    tool: CallableTool,
    response: ServerResponse,
  ): Promise<ServerResponse> | undefined {
    const limit = this.#limits.of(call, tool, this.#context.settings);
    if (limit === undefined || !mayExceed(limit, response)) return undefined;
    return this.#load().then((results) => results.replace(call, response, limit));
  }

  resolve(
    client: CallClient,
    request: IncomingRequest,
    at: ArgumentsAt,
  ): Promise<IncomingRequest> | undefined {
    const { results, scripts } = this.#context.settings;
    const isStored = results.limit !== "off" && hasRunScript(client.principal, scripts);
    if (!isStored || !mayHaveReference(request.text)) return undefined;
    return this.#load().then((stored) => stored.resolve(client, request, at));
  }

  of(client: CallClient): StoredResults {
    return {
      read: async (id) =>
        (this.remote?.isRemote(id) ? await this.#load() : this.#loaded)?.of(client).read(id),
      store: async (text) =>
        this.#context.settings.results.limit === "off"
          ? undefined
          : (await this.#load()).of(client).store(text),
    };
  }

  /** The longest text of a script that a client takes, with room for a note that the text goes on. */
  textLimit(client: CallClient): TextLimit | undefined {
    const { limit } = this.#context.settings.results;
    if (limit === "off") return undefined;
    if (limit !== "client") return { chars: limit - NOTE_CHARS, reason: "setting results.limit" };
    const { chars = Infinity, bytes = Infinity } = this.#limits.ofClient(client) ?? {};
    const least = Math.min(chars, bytes);
    if (least === Infinity) return undefined;
    return { chars: least - NOTE_CHARS, reason: "this client shows no more" };
  }

  /** Soon after the first client, removes what killed workbenches have left. */
  onClient(): void {
    if (this.#hasClient) return;
    this.#hasClient = true;
    setTimeout(() => void this.removeStale().catch(() => {}), FIRST_TASKS_MS).unref();
  }

  async removeStale(root = resultsRoot()): Promise<void> {
    if (!existsSync(root)) return;
    const { removeStaleFolders } = await import("../results/stale-folders.ts");
    removeStaleFolders(root);
  }

  /** Removes the results of a client that is gone, or of all clients of a principal. */
  end(principal: Principal, client?: string): void {
    const { epoch } = principal;
    this.#loaded?.end({
      principal: accessIdOf(principal),
      ...(client !== undefined && { client, epoch }),
    });
  }

  /** Whether results of a client are stored. */
  hasAny(principal: Principal, client: string): boolean {
    const { epoch } = principal;
    return this.#loaded?.hasAny({ principal: accessIdOf(principal), client, epoch }) === true;
  }

  /** The file of a result, for another replica. */
  stored(owner: ResultOwner, id: string): string | undefined {
    return this.#loaded?.stored(owner, id)?.file;
  }

  close(): void {
    this.#isClosed = true;
    this.#loaded?.close();
    this.#endThread();
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
        const { results, limits, scripts } = this.#context.settings;
        return {
          ...results,
          messageBytes: limits.messageBytes,
          memoryMb: scripts.memoryMb,
        };
      },
      debug: (message) => host.log.debug(message),
      run: (job) => thread.run(job),
      root: resultsRoot(),
      remote: () => this.remote,
    });
    this.isUsed = true;
    if (this.#isClosed) this.close();
    return this.#loaded;
  }
}
