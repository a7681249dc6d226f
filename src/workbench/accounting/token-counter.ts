import type { CallClient, ClientCall } from "../../calls/call.ts";
import type { Outcome } from "../../calls/outcome.ts";
import { sentArguments } from "../../calls/request-text.ts";
import { asText, isObject } from "../../text/json.ts";
import { safeLine } from "../../text/safe-text.ts";
import type { ServerResponse } from "../../wire/response.ts";
import {
  COUNT_NAMES,
  type CountName,
  type CountedClient,
  type LedgerEntry,
  sumOf,
} from "./ledger.ts";
import { outcomeTokens, responseTokens, tokensIn } from "./text-tokens.ts";

/** What tools cost without the workbench, and what it shows instead. */
export interface DefinitionCosts {
  /** The definitions and instructions of the known servers of a toolbox, as they send them. */
  direct(toolbox: string): number;
  /** The answer to `open_toolbox`. */
  opened(toolbox: string): number;
  /** The instructions of the workbench for a client that sees these toolboxes. */
  instructions(toolboxes: readonly string[]): number;
}

/** What happened in one conversation, as far as that is known. */
interface Conversation {
  readonly client: CountedClient;
  /** The tokens of the longest tool list so far; undefined before the first. */
  listed: number | undefined;
  /** What was counted of the definitions of each toolbox that were not listed. */
  readonly start: Map<string, number>;
  /** The toolboxes whose definitions the client has, or that a search made unnecessary. */
  readonly known: Set<string>;
}

/** The calls of a script that is running. */
interface ScriptCalls {
  readonly byToolbox: Map<string, number>;
}

const MAX_NAME_CHARS = 60;
const MAX_CONVERSATIONS = 1000;
const HIT = /^([^/\s]+)\/[^\s(]+\(/gm;

/**
 * Counts tokens from the calls of clients: numbers only, by client and toolbox. Nothing else of a call
 * is kept.
 */
export class TokenCounter {
  readonly #costs: DefinitionCosts;
  readonly #sessions = new WeakMap<object, Conversation>();
  /** Modern clients have no session: a client and its principal count as one conversation. */
  readonly #stateless = new Map<string, Conversation>();
  readonly #scripts = new WeakMap<ClientCall, ScriptCalls>();
  /** Conversations that have begun: what servers define may become known later. */
  readonly #begun = new Set<Conversation>();
  #counted: LedgerEntry[] = [];

  constructor(costs: DefinitionCosts) {
    this.#costs = costs;
  }

  /** What was counted since the last time. */
  take(): readonly LedgerEntry[] {
    for (const conversation of this.#begun) this.#countStart(conversation);
    const counted = sumOf(this.#counted).filter(hasCounts);
    this.#counted = [];
    return counted;
  }

  /** Takes back what could not be written. */
  putBack(counted: readonly LedgerEntry[]): void {
    this.#counted = sumOf([...counted, ...this.#counted]);
  }

  /** Takes a call that has ended. */
  count(call: ClientCall, outcome: Outcome): void {
    if (outcome.kind === "cancelled") return;
    if (call.parent !== undefined) this.#countNested(call, call.parent, outcome);
    else if (this.#scripts.has(call)) this.#countScript(call, countedClient(call.caller), outcome);
    else if (call.method === "tools/list") this.#countList(call, outcome);
    else if (call.method === "tools/call" && call.destination?.server === undefined)
      this.#countMetaTool(call, outcome);
  }

  /** A result was stored, and the client got another instead. */
  countStored(call: ClientCall, stored: ServerResponse, given: ServerResponse): void {
    const toolbox = toolboxOf(call);
    if (toolbox === undefined || call.parent !== undefined) return;
    const saved = responseTokens(stored) - responseTokens(given);
    this.#add(countedClient(call.caller), toolbox, "results", saved);
  }

  #countList(call: ClientCall, outcome: Outcome): void {
    const result = outcome.kind === "result" ? outcome.result : undefined;
    // A single server that is shown as it is costs what it costs without the workbench.
    if (result === undefined) return;
    const tokens = tokensIn(typeof result === "string" ? result : JSON.stringify(result));
    const conversation = this.#conversationOf(call.caller);
    const { client, listed } = conversation;
    if (listed === undefined) {
      const toolboxes = [...(call.caller.scope?.keys() ?? [])];
      for (const toolbox of toolboxes) conversation.start.set(toolbox, 0);
      this.#countStart(conversation);
      if (this.#begun.size < MAX_CONVERSATIONS) this.#begun.add(conversation);
      const instructions = this.#costs.instructions(toolboxes);
      this.#add(client, null, "discovery", tokens + instructions);
    } else this.#add(client, null, "discovery", Math.max(0, tokens - listed));
    conversation.listed = Math.max(tokens, listed ?? 0);
  }

  /** Counts the definitions that are known by now, and were not before. */
  #countStart({ client, start }: Conversation): void {
    for (const [toolbox, counted] of start) {
      const direct = this.#costs.direct(toolbox);
      if (direct <= counted) continue;
      start.set(toolbox, direct);
      this.#add(client, toolbox, "start", direct - counted);
    }
  }

  #countMetaTool(call: ClientCall, outcome: Outcome): void {
    const { name, arguments: input } = call.request.params;
    const conversation = this.#conversationOf(call.caller);
    const { client, known } = conversation;
    if (name === "run_script") this.#countScript(call, client, outcome);
    else if (name === "search_tools") this.#countSearch(call, conversation, outcome);
    else if (name === "open_toolbox") {
      const toolbox = isObject(input) ? asText(input["toolbox"]) : "";
      const isKnown = call.caller.scope?.has(toolbox) === true;
      if (isKnown) known.add(toolbox);
      const cost = argumentTokens(call) + outcomeTokens(outcome);
      this.#add(client, isKnown ? toolbox : null, "discovery", cost);
    }
  }

  /** A search is compared with opening the toolboxes of what it found, once for each of them. */
  #countSearch(call: ClientCall, { client, known }: Conversation, outcome: Outcome): void {
    const text = textOf(outcome);
    const found = new Set(Array.from(text.matchAll(HIT), ([, toolbox = ""]) => toolbox));
    const cost = argumentTokens(call) + tokensIn(text);
    const [only, ...others] = found;
    this.#add(client, others.length === 0 ? (only ?? null) : null, "discovery", cost);
    for (const toolbox of found) {
      const opened = known.has(toolbox) ? 0 : this.#costs.opened(toolbox);
      if (opened > 0) this.#add(client, toolbox, "search", Math.max(0, opened - cost / found.size));
      known.add(toolbox);
    }
  }

  /** Without the script, the model would write the arguments and read the result. */
  #countNested(call: ClientCall, parent: ClientCall, outcome: Outcome): void {
    const toolbox = toolboxOf(call);
    if (toolbox === undefined) return;
    const calls = this.#scripts.get(parent) ?? { byToolbox: new Map<string, number>() };
    this.#scripts.set(parent, calls);
    const add = (to: string, tokens: number): unknown =>
      calls.byToolbox.set(to, (calls.byToolbox.get(to) ?? 0) + tokens);
    // A saved script that a script calls: its own calls would have been made instead.
    const own = this.#scripts.get(call)?.byToolbox;
    this.#scripts.delete(call);
    if (own === undefined) add(toolbox, argumentTokens(call) + outcomeTokens(outcome));
    else for (const [to, tokens] of own) add(to, tokens);
  }

  #countScript(call: ClientCall, client: CountedClient, outcome: Outcome): void {
    const calls = this.#scripts.get(call);
    this.#scripts.delete(call);
    const cost = argumentTokens(call) + outcomeTokens(outcome);
    const inside = [...(calls?.byToolbox ?? [])];
    const total = inside.reduce((sum, [, tokens]) => sum + tokens, 0);
    if (total === 0) {
      this.#add(client, null, "scripts", -cost);
      return;
    }
    for (const [toolbox, tokens] of inside)
      this.#add(client, toolbox, "scripts", tokens - (cost * tokens) / total);
  }

  #conversationOf(caller: CallClient): Conversation {
    const client = countedClient(caller);
    const created: Conversation = {
      client,
      listed: undefined,
      start: new Map(),
      known: new Set(),
    };
    if (caller.era === "legacy") {
      const known = this.#sessions.get(caller) ?? created;
      this.#sessions.set(caller, known);
      return known;
    }
    const key = `${caller.principal.id}\n${client.client}`;
    const known = this.#stateless.get(key) ?? created;
    if (this.#stateless.size < MAX_CONVERSATIONS) this.#stateless.set(key, known);
    return known;
  }

  #add(
    { kind, client }: CountedClient,
    toolbox: string | null,
    name: CountName,
    tokens: number,
  ): void {
    const none = { start: 0, search: 0, results: 0, scripts: 0, discovery: 0 };
    this.#counted.push({ kind, client, toolbox, ...none, [name]: Math.round(tokens) });
    if (this.#counted.length > MAX_CONVERSATIONS) this.#counted = sumOf(this.#counted);
  }
}

/** An access token or a user by name; every other client by the name that it gives itself. */
function countedClient({ principal, profile }: CallClient): CountedClient {
  const { kind, name } = principal;
  const own = kind === "token" || kind === "oauth" ? name : asText(profile?.client.info?.["name"]);
  const client = safeLine(own.slice(0, MAX_NAME_CHARS)) || "unknown";
  return { kind: kind === "token" ? "token" : kind === "oauth" ? "user" : "client", client };
}

/** What the model writes: the arguments, without the protocol around them. */
function argumentTokens({ request, destination }: ClientCall): number {
  const isTool = destination?.server !== undefined && destination.tool !== undefined;
  return tokensIn(sentArguments(request, isTool ? destination.argumentsAt : "params.arguments"));
}

function toolboxOf({ destination }: ClientCall): string | undefined {
  return destination?.server && destination.tool?.toolbox;
}

function textOf(outcome: Outcome): string {
  const result = outcome.kind === "result" ? outcome.result : undefined;
  const content = isObject(result) ? result["content"] : undefined;
  const [first] = Array.isArray(content) ? (content as unknown[]) : [];
  return isObject(first) ? asText(first["text"]) : "";
}

function hasCounts(entry: LedgerEntry): boolean {
  return COUNT_NAMES.some((name) => entry[name] !== 0);
}
