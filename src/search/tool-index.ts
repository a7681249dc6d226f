/**
 * Ranked search over the tools of all servers, opened or not.
 *
 * A change of one server touches nothing but its own entries, and an index that was updated gives
 * the same answers as one that was built afresh.
 */

import { Postings, rarity, type Term } from "./postings.ts";
import { parseQuery } from "./query.ts";
import { insertRanked } from "./ranking.ts";
import { Spelling } from "./spelling.ts";
import { nameKey } from "./text.ts";
import type { Hit, ToolboxInfo, ToolDefinition } from "./types.ts";
import { saturate, weighServer, weighTool } from "./weights.ts";

/** Above any sum of word scores: the tool whose name is the query comes first. */
const EXACT_NAME = 1e6;
const LONGEST_ABOUT = 2_000;
const DEFAULT_LIMIT = 5;

interface IndexedTool {
  readonly toolbox: string;
  readonly server: string;
  readonly tool: ToolDefinition;
  readonly nameKey: string;
}

interface IndexedServer {
  readonly toolbox: string;
  readonly server: string;
  readonly tools: readonly ToolDefinition[];
  readonly about: string;
  /** The rest is what it takes to remove the server again. */
  readonly slots: readonly number[];
  readonly terms: readonly Term[];
  readonly nameTerms: readonly string[];
}

export interface SearchOptions {
  readonly limit?: number;
  /** Only tools of these toolboxes; all when absent. */
  readonly toolboxes?: ReadonlySet<string>;
}

export class ToolIndex {
  readonly #postings = new Postings();
  readonly #spelling = new Spelling();
  readonly #slotsByName = new Map<string, number[]>();
  readonly #servers = new Map<string, IndexedServer>();
  readonly #slots: (IndexedTool | undefined)[] = [];
  readonly #freeSlots: number[] = [];
  #toolboxTexts: ReadonlyMap<string, string> = new Map();
  #scores = new Float64Array(0);

  /** The number of tools. */
  get size(): number {
    return this.#slots.length - this.#freeSlots.length;
  }

  /**
   * Makes these the tools of the server. `about` is what the server says of itself: its description
   * or instructions.
   */
  replaceServer(
    toolbox: string,
    server: string,
    tools: readonly ToolDefinition[],
    about = "",
  ): void {
    this.removeServer(toolbox, server);
    this.#servers.set(keyOf(toolbox, server), this.#add(toolbox, server, tools, about));
  }

  removeServer(toolbox: string, server: string): void {
    const key = keyOf(toolbox, server);
    const indexed = this.#servers.get(key);
    if (indexed === undefined) return;
    this.#servers.delete(key);
    this.#remove(indexed);
  }

  /** Tells what the toolboxes are for; their tools are then found by these words as well. */
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

  search(query: string, { limit = DEFAULT_LIMIT, toolboxes }: SearchOptions = {}): Hit[] {
    const scores = this.#score(query);
    const best: Hit[] = [];
    for (let slot = 0; slot < this.#slots.length; slot++) {
      const score = scores[slot] as number;
      if (score === 0) continue;
      if (best.length === limit && score < (best.at(-1)?.score ?? 0)) continue;
      const { toolbox, server, tool } = this.#slots[slot] as IndexedTool;
      if (toolboxes !== undefined && !toolboxes.has(toolbox)) continue;
      insertRanked(best, { toolbox, server, tool, score }, limit);
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
      const slots = this.#slotsByName.get(name) ?? [];
      addToAll(scores, slots, rarity(slots.length, this.size));
    }
    addToAll(scores, this.#slotsByName.get(wholeName) ?? [], EXACT_NAME);
    return scores;
  }

  #add(
    toolbox: string,
    server: string,
    tools: readonly ToolDefinition[],
    about: string,
  ): IndexedServer {
    const toolboxText = this.#toolboxTexts.get(toolbox) ?? "";
    const shared = weighServer(server, `${toolboxText}\n${about.slice(0, LONGEST_ABOUT)}`);
    const slots: number[] = [];
    const terms = new Set<Term>();
    const nameTerms = new Set(shared.nameTerms);
    for (const tool of tools) {
      const slot = this.#occupy({ toolbox, server, tool, nameKey: nameKey(tool.name) });
      slots.push(slot);
      const weighed = weighTool(tool, shared);
      for (const term of weighed.nameTerms) nameTerms.add(term);
      for (const [text, weight] of weighed.weights) {
        terms.add(this.#postings.add(text, slot, saturate(weight)));
      }
    }
    this.#spelling.add(nameTerms);
    return { toolbox, server, tools, about, slots, terms: [...terms], nameTerms: [...nameTerms] };
  }

  #remove({ slots, terms, nameTerms }: IndexedServer): void {
    this.#spelling.remove(nameTerms);
    this.#postings.remove(terms, new Set(slots));
    for (const slot of slots) this.#vacate(slot);
  }

  #occupy(indexed: IndexedTool): number {
    const slot = this.#freeSlots.pop() ?? this.#slots.length;
    this.#slots[slot] = indexed;
    const sameName = this.#slotsByName.get(indexed.nameKey);
    if (sameName === undefined) this.#slotsByName.set(indexed.nameKey, [slot]);
    else sameName.push(slot);
    return slot;
  }

  #vacate(slot: number): void {
    const { nameKey } = this.#slots[slot] as IndexedTool;
    const others = (this.#slotsByName.get(nameKey) ?? []).filter((other) => other !== slot);
    if (others.length === 0) this.#slotsByName.delete(nameKey);
    else this.#slotsByName.set(nameKey, others);
    this.#slots[slot] = undefined;
    this.#freeSlots.push(slot);
  }
}

function keyOf(toolbox: string, server: string): string {
  return JSON.stringify([toolbox, server]);
}

function textOf({ name, description = "", keywords = [] }: ToolboxInfo): string {
  return [name, description, ...keywords].join("\n").slice(0, LONGEST_ABOUT);
}

function addToAll(scores: Float64Array, slots: readonly number[], score: number): void {
  for (const slot of slots) scores[slot] = (scores[slot] as number) + score;
}
