import type { CallClient, CallObserver, ClientCall } from "../../calls/call.ts";
import type { Outcome } from "../../calls/outcome.ts";
import type { Principal } from "../../calls/principal.ts";
import type { WorkbenchSettings } from "../../config/types.ts";
import { reasonOf } from "../../errors.ts";
import type { Logger } from "../../log.ts";
import { asText, isObject } from "../../text/json.ts";
import type { UseParts } from "./use-parts.ts";

/** A call this long after a search has little to do with it. */
const RELATED_MS = 10 * 60_000;
/** How many tools may be the ones that a search was for. */
const MAX_RELATED = 3;
const WRITE_AFTER_MS = 5_000;
const MAX_WAITING = 100;

export interface UsesContext {
  readonly settings: Pick<WorkbenchSettings, "learnFromUse">;
  readonly host: { readonly log: Logger };
}

interface LastSearch {
  readonly query: string;
  readonly at: number;
  related: number;
}

/**
 * Learns which tools are used after which searches, if the user wants that. Only of the user of this machine:
 * what others search for has no influence on anyone. Everything else is loaded with the first search.
 */
export class LateUses implements CallObserver {
  readonly #context: UsesContext;
  readonly #loadParts: () => Promise<UseParts>;
  readonly #searches = new WeakMap<object, LastSearch>();
  /** Modern clients have no session: the user's clients count as one. */
  #lastOfModern: LastSearch | undefined;
  #parts: Promise<UseParts> | undefined;
  /** Queries, and the tools that were used after them. */
  readonly #learned: (readonly [string, string])[] = [];
  #timer: NodeJS.Timeout | undefined;

  constructor(context: UsesContext, load: () => Promise<UseParts> = loadParts) {
    this.#context = context;
    this.#loadParts = load;
  }

  /** What each tool gains for a query of this principal; undefined if nothing is learned. */
  async boosts(
    principal: Principal,
    query: string,
  ): Promise<ReadonlyMap<string, number> | undefined> {
    if (!this.#context.settings.learnFromUse || !isOwnUser(principal)) return undefined;
    try {
      const { boostsFor, pastUse, uses } = await this.#load();
      const learned = this.#learned.map(([asked, tool]) => pastUse(asked, tool));
      return boostsFor(query, [...uses, ...learned]);
    } catch (error) {
      this.#context.host.log.warn(`not learned from use: ${reasonOf(error)}`);
      return undefined;
    }
  }

  onStarted(): void {
    // Only the outcome counts.
  }

  onSettled(call: ClientCall, outcome: Outcome): Outcome {
    if (call.method !== "tools/call" || !isOwnUser(call.principal)) return outcome;
    const { name, arguments: input } = call.request.params;
    const { destination } = call;
    if (destination?.server === undefined) {
      if (name === "search_tools" && outcome.kind === "result" && isObject(input))
        this.#remember(call.caller, asText(input["query"]));
      return outcome;
    }
    const tool = destination.tool;
    if (tool === undefined || outcome.kind !== "response") return outcome;
    if (outcome.response.isError || outcome.response.isFailure) return outcome;
    this.#learn(originOf(call), [tool.toolbox, tool.server, tool.name].join("/"));
    return outcome;
  }

  async close(): Promise<void> {
    clearTimeout(this.#timer);
    await this.#write();
  }

  #remember(client: CallClient, query: string): void {
    const search: LastSearch = { query, at: performance.now(), related: 0 };
    if (client.era === "legacy") this.#searches.set(client, search);
    else this.#lastOfModern = search;
  }

  #learn(client: CallClient, tool: string): void {
    const search = client.era === "legacy" ? this.#searches.get(client) : this.#lastOfModern;
    if (search === undefined || performance.now() - search.at > RELATED_MS) return;
    if (search.related >= MAX_RELATED || this.#learned.length >= MAX_WAITING) return;
    search.related++;
    this.#learned.push([search.query, tool]);
    this.#timer ??= setTimeout(() => void this.#write(), WRITE_AFTER_MS).unref();
  }

  async #write(): Promise<void> {
    this.#timer = undefined;
    const learned = this.#learned.splice(0);
    if (learned.length === 0) return;
    try {
      const parts = await this.#load();
      await parts.addUses(learned.map(([query, tool]) => parts.pastUse(query, tool)));
      parts.uses = parts.readUses();
    } catch (error) {
      this.#context.host.log.warn(`not learned from use: ${reasonOf(error)}`);
    }
  }

  #load(): Promise<UseParts> {
    this.#parts ??= this.#loadParts();
    return this.#parts;
  }
}

async function loadParts(): Promise<UseParts> {
  const { useParts } = await import("./use-parts.ts");
  return useParts();
}

/** The client of a call, also of one that a script makes. */
function originOf(call: ClientCall): CallClient {
  let origin = call;
  while (origin.parent !== undefined) origin = origin.parent;
  return origin.caller;
}

function isOwnUser({ kind }: Principal): boolean {
  return kind === "stdio" || kind === "local" || kind === "owner";
}
