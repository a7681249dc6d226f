/**
 * Ranked search over the tools of all servers, opened or not.
 *
 * A change to one server affects only its own entries, and an updated index gives the same results as
 * a new one.
 */

import { Postings, inverseFrequency, type Term } from "./postings.ts";
import { parseQuery } from "./query.ts";
import { insertRanked } from "./ranking.ts";
import { Spelling } from "./spelling.ts";
import { nameKey } from "./text.ts";
import { MAX_NAME_LENGTH, type ToolText, toolText } from "./searchable-text.ts";
import type { Hit, ToolboxInfo, ToolDefinition } from "./types.ts";
import { saturate, weighServer, weighTool } from "./weights.ts";

/** Above any sum of word scores, so that a tool whose name is the query comes first. */
const EXACT_NAME = 1e6;
const MAX_ABOUT_LENGTH = 2_000;
export const DEFAULT_LIMIT = 5;
const NO_SLOTS: ReadonlySet<number> = new Set();

/**
 * Above this, further tools of a server are indexed by name only. The index takes about ten times the
 * memory of the texts, and no server may use all of it.
 */
const MAX_CHARS_PER_SERVER = 2 * 1024 * 1024;
/** How many terms are removed before yielding. */
const REMOVED_AT_ONCE = 500;

interface IndexedTool {
  readonly of: IndexedServer;
  readonly tool: ToolDefinition;
  readonly nameKey: string;
}

interface IndexedServer {
  readonly toolbox: string;
  readonly server: string;
  readonly tools: readonly ToolDefinition[];
  readonly about: string;
  /** False while it is being indexed and after it has been replaced. */
  isFound: boolean;
  /** The remaining fields are needed to remove the server again. */
  readonly slots: number[];
  readonly terms: Set<Term>;
  readonly nameTerms: Set<string>;
}

export interface SearchOptions {
  readonly limit?: number;
  /** Only tools of these toolboxes; all if absent. */
  readonly toolboxes?: ReadonlySet<string>;
  /** Only tools for which this is true. */
  readonly accepts?: ((hit: Hit) => boolean) | undefined;
}

export class ToolIndex {
  readonly #postings = new Postings();
  readonly #spelling = new Spelling();
  readonly #slotsByName = new Map<string, Set<number>>();
  readonly #servers = new Map<string, IndexedServer>();
  readonly #slots: (IndexedTool | undefined)[] = [];
  readonly #freeSlots: number[] = [];
  #toolboxTexts: ReadonlyMap<string, string> = new Map();
  #scores = new Float64Array(0);

  /** The number of tools. */
  get size(): number {
    return this.#slots.length - this.#freeSlots.length;
  }

  /** Replaces the tools of a server. `about` is its description or instructions. */
  replaceServer(
    toolbox: string,
    server: string,
    tools: readonly ToolDefinition[],
    about = "",
  ): void {
    for (const _ of this.replacing(toolbox, server, tools, about));
  }

  /**
   * The same in small steps; the caller must run all of them. A search finds the previous tools until
   * the last new one is indexed.
   */
  *replacing(
    toolbox: string,
    server: string,
    tools: readonly ToolDefinition[],
    about = "",
  ): Generator<void, void> {
    const key = keyOf(toolbox, server);
    const added = yield* this.#adding(toolbox, server, tools, about);
    const before = this.#servers.get(key);
    this.#servers.set(key, added);
    this.#spelling.add(added.nameTerms);
    added.isFound = true;
    if (before !== undefined) yield* this.#removing(before);
  }

  removeServer(toolbox: string, server: string): void {
    const key = keyOf(toolbox, server);
    const indexed = this.#servers.get(key);
    if (indexed === undefined) return;
    this.#servers.delete(key);
    for (const _ of this.#removing(indexed));
  }

  /** Sets the descriptions of the toolboxes, so that their tools are also found by these words. */
  setToolboxes(toolboxes: readonly ToolboxInfo[]): void {
    const before = this.#toolboxTexts;
    this.#toolboxTexts = new Map(toolboxes.map((toolbox) => [toolbox.name, textOf(toolbox)]));
    const changed = [...this.#servers.values()].filter(
      ({ toolbox }) => before.get(toolbox) !== this.#toolboxTexts.get(toolbox),
    );
    for (const { toolbox, server, tools, about } of changed) {
      this.replaceServer(toolbox, server, tools, about);
    }
  }

  search(query: string, options: SearchOptions = {}): Hit[] {
    const { limit = DEFAULT_LIMIT, toolboxes, accepts } = options;
    const scores = this.#score(query);
    const best: Hit[] = [];
    for (let slot = 0; slot < this.#slots.length; slot++) {
      const score = scores[slot] as number;
      if (score === 0) continue;
      if (best.length === limit && score < (best.at(-1)?.score ?? 0)) continue;
      const { of, tool } = this.#slots[slot] as IndexedTool;
      const { toolbox, server } = of;
      if (!of.isFound || (toolboxes !== undefined && !toolboxes.has(toolbox))) continue;
      const hit = { toolbox, server, tool, score };
      if (accepts === undefined || accepts(hit)) insertRanked(best, hit, limit);
    }
    return best;
  }

  /** The score of every slot; the array is reused by the next query. */
  #score(query: string): Float64Array {
    if (this.#scores.length < this.#slots.length) {
      this.#scores = new Float64Array(this.#slots.length * 2);
    }
    const scores = this.#scores.fill(0);
    const { terms, names, wholeName } = parseQuery(query, {
      has: (term) => this.#postings.has(term),
      nearest: (term, limit) => this.#spelling.nearest(term, limit),
    });
    for (const [term, weight] of terms) this.#postings.score(term, weight, this.size, scores);
    for (const name of names) {
      const slots = this.#slotsByName.get(name) ?? NO_SLOTS;
      addToAll(scores, slots, inverseFrequency(slots.size, this.size));
    }
    addToAll(scores, this.#slotsByName.get(wholeName) ?? NO_SLOTS, EXACT_NAME);
    return scores;
  }

  *#adding(
    toolbox: string,
    server: string,
    tools: readonly ToolDefinition[],
    about: string,
  ): Generator<void, IndexedServer> {
    const toolboxText = this.#toolboxTexts.get(toolbox) ?? "";
    const shared = weighServer(server, `${toolboxText}\n${about.slice(0, MAX_ABOUT_LENGTH)}`);
    const indexed: IndexedServer = {
      toolbox,
      server,
      tools,
      about,
      isFound: false,
      slots: [],
      terms: new Set(),
      nameTerms: new Set(shared.nameTerms),
    };
    let chars = 0;
    for (const tool of tools) {
      const slot = this.#occupy({
        of: indexed,
        tool,
        nameKey: nameKey(tool.name.slice(0, MAX_NAME_LENGTH)),
      });
      indexed.slots.push(slot);
      const text = toolText(tool);
      chars += text.purpose.length + text.parameters.length + text.details.length;
      const weighed = weighTool(chars > MAX_CHARS_PER_SERVER ? nameOnly(text) : text, shared);
      for (const term of weighed.nameTerms) indexed.nameTerms.add(term);
      for (const [word, weight] of weighed.weights) {
        indexed.terms.add(this.#postings.add(word, slot, saturate(weight)));
      }
      yield;
    }
    return indexed;
  }

  *#removing(indexed: IndexedServer): Generator<void, void> {
    indexed.isFound = false;
    this.#spelling.remove(indexed.nameTerms);
    const slots = new Set(indexed.slots);
    const terms = [...indexed.terms];
    for (let at = 0; at < terms.length; at += REMOVED_AT_ONCE) {
      this.#postings.remove(terms.slice(at, at + REMOVED_AT_ONCE), slots);
      yield;
    }
    for (const slot of indexed.slots) this.#vacate(slot);
  }

  #occupy(indexed: IndexedTool): number {
    const slot = this.#freeSlots.pop() ?? this.#slots.length;
    this.#slots[slot] = indexed;
    const sameName = this.#slotsByName.get(indexed.nameKey);
    if (sameName === undefined) this.#slotsByName.set(indexed.nameKey, new Set([slot]));
    else sameName.add(slot);
    return slot;
  }

  #vacate(slot: number): void {
    const { nameKey } = this.#slots[slot] as IndexedTool;
    const sameName = this.#slotsByName.get(nameKey);
    sameName?.delete(slot);
    if (sameName?.size === 0) this.#slotsByName.delete(nameKey);
    this.#slots[slot] = undefined;
    this.#freeSlots.push(slot);
  }
}

function nameOnly({ name }: ToolText): ToolText {
  return { name, purpose: "", parameters: "", details: "" };
}

function keyOf(toolbox: string, server: string): string {
  return JSON.stringify([toolbox, server]);
}

function textOf({ name, description = "", keywords = [] }: ToolboxInfo): string {
  return [name, description, ...keywords].join("\n").slice(0, MAX_ABOUT_LENGTH);
}

function addToAll(scores: Float64Array, slots: Iterable<number>, score: number): void {
  for (const slot of slots) scores[slot] = (scores[slot] as number) + score;
}
