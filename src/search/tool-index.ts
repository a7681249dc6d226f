/**
 * Ranked search over the tools of all servers, opened or not.
 *
 * A change to one server affects only its own entries, and an updated index gives the same results as
 * a new one.
 */

import { Postings, inverseFrequency, type Term } from "./postings.ts";
import { type ParsedQuery, parseQuery } from "./query.ts";
import { insertRanked } from "./ranking.ts";
import { TermSums } from "./term-sums.ts";
import { Spelling } from "./spelling.ts";
import { stem } from "./stem.ts";
import { nameKey } from "./text.ts";
import { MAX_NAME_LENGTH, type ToolText, toolText } from "./searchable-text.ts";
import type { Hit, ToolboxInfo, ToolDefinition } from "./types.ts";
import { Meanings } from "./vectors/meanings.ts";
import type { WordTable } from "./vectors/word-table.ts";
import { saturated, weighServer, weighTool } from "./weights.ts";

/** Above any other score, so that a tool whose name is the query comes first. */
const EXACT_NAME = 1e6;
/** The best match by words has 1, the closest possible meaning has this. */
const CLOSENESS_WEIGHT = 1.5;
/** A tool that shares no word with the query has to be at least this close. */
const MIN_CLOSENESS = 0.35;
/** How close a tool often is that has nothing to do with the query. */
const UNRELATED = 0.3;
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
  readonly number: number;
  readonly terms: Term[];
  readonly nameTerms: Set<string>;
}

export interface SearchOptions {
  readonly limit?: number;
  /** Only tools of these toolboxes; all if absent. */
  readonly toolboxes?: ReadonlySet<string>;
  /** What is added to the scores of tools that match, by toolbox, server and name. */
  readonly boosts?: ReadonlyMap<string, number> | undefined;
  /** Only tools for which this is true. */
  readonly accepts?: ((hit: Hit) => boolean) | undefined;
}

/** Why a tool has its place among the hits. */
export interface Explanation {
  /** What each word of the query adds, best first; the sum is at most 1. */
  readonly words: readonly { readonly term: string; readonly score: number }[];
  /** How close the meaning is, from -1 to 1. */
  readonly closeness: number;
  /** Whether the query is the name of the tool. */
  readonly isExact: boolean;
}

export class ToolIndex {
  readonly #postings = new Postings();
  readonly #sums = new TermSums(this.#postings);
  readonly #spelling = new Spelling();
  readonly #slotsByName = new Map<string, Set<number>>();
  readonly #servers = new Map<string, IndexedServer>();
  readonly #slots: (IndexedTool | undefined)[] = [];
  readonly #freeSlots: number[] = [];
  readonly #meanings: Meanings | undefined;
  /** Of all servers ever added. */
  #serverCount = 0;
  #toolboxTexts: ReadonlyMap<string, string> = new Map();
  #scores = new Float64Array(0);

  /** With a table of word vectors, tools are also found by the meaning of words. */
  constructor(table?: WordTable) {
    this.#meanings = table && new Meanings(table);
  }

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
    if (isSame(before, this.#toolboxTexts)) return;
    const changed = [...this.#servers.values()].filter(
      ({ toolbox }) => before.get(toolbox) !== this.#toolboxTexts.get(toolbox),
    );
    for (const { toolbox, server, tools, about } of changed) {
      this.replaceServer(toolbox, server, tools, about);
    }
  }

  search(query: string, options: SearchOptions = {}): Hit[] {
    const { limit = DEFAULT_LIMIT, toolboxes, accepts, boosts } = options;
    const parsed = this.#parse(query);
    const words = this.#scoreWords(parsed);
    const vectors = this.#meanings?.tools;
    const bounds = vectors?.ask(parsed.meant) ?? new Float32Array(this.#slots.length);
    const exact = this.#slotsByName.get(parsed.wholeName) ?? NO_SLOTS;
    const bestScore = this.#bestScore(words, options);
    const possible = this.#possibleScore(parsed) || 1;
    const maxGain = boosts === undefined ? 0 : Math.max(0, ...boosts.values());
    const best: Hit[] = [];
    let needed = 0;
    // Almost all tools are passed over here, so nothing is looked up before it is needed.
    for (let slot = 0; slot < this.#slots.length; slot++) {
      const byWords = (words[slot] as number) / bestScore;
      const bound = bounds[slot] as number;
      const isExact = exact.size > 0 && exact.has(slot);
      if (byWords === 0 && bound < MIN_CLOSENESS && !isExact) continue;
      const others = byWords + (isExact ? EXACT_NAME : 0);
      if (others + byMeaning(bound) + maxGain < needed) continue;
      const indexed = this.#slots[slot];
      if (indexed === undefined || !isSearched(indexed.of, toolboxes)) continue;
      const closeness = vectors?.closeness(slot) ?? 0;
      if (byWords === 0 && closeness < MIN_CLOSENESS && !isExact) continue;
      const score = others + byMeaning(closeness) + (boosts?.get(pathOf(indexed)) ?? 0);
      if (score < needed) continue;
      const covered = (words[slot] as number) / possible;
      const fit = isExact ? 1 : Math.max(covered, closeness - UNRELATED);
      const { toolbox, server, about } = indexed.of;
      const hit = { toolbox, server, tool: indexed.tool, score, about, fit };
      if (accepts !== undefined && !accepts(hit)) continue;
      insertRanked(best, hit, limit);
      if (best.length === limit) needed = best.at(-1)?.score ?? 0;
    }
    return best;
  }

  /** Why each of these hits of a query has its place. */
  explain(query: string, hits: readonly Hit[], options: SearchOptions = {}): Explanation[] {
    const parsed = this.#parse(query);
    const best = this.#bestScore(this.#scoreWords(parsed), options);
    const vectors = this.#meanings?.tools;
    vectors?.ask(parsed.meant);
    const exact = this.#slotsByName.get(parsed.wholeName) ?? NO_SLOTS;
    const found = hits.map((hit) => {
      const slot = this.#slots.findIndex(
        (one) =>
          one?.tool === hit.tool && one.of.server === hit.server && one.of.toolbox === hit.toolbox,
      );
      const words: { term: string; score: number }[] = [];
      return { slot, words, closeness: vectors?.closeness(slot) ?? 0, isExact: exact.has(slot) };
    });
    const parts = [
      ...Array.from(parsed.terms, (term) => ({ terms: new Map([term]), names: new Set<string>() })),
      ...Array.from(parsed.names, (name) => ({ terms: new Map(), names: new Set([name]) })),
    ];
    for (const part of parts) {
      const scores = this.#scoreWords({ ...parsed, ...part });
      const term = [...part.terms.keys(), ...part.names].join("");
      for (const { slot, words } of found) {
        const score = (scores[slot] ?? 0) / best;
        if (score > 0) words.push({ term, score });
      }
    }
    return found.map(({ words, closeness, isExact }) => ({
      words: words.sort((a, b) => b.score - a.score),
      closeness,
      isExact,
    }));
  }

  /** How rare a word is among the tools: the higher, the rarer. */
  rarity(word: string): number {
    return this.#postings.rarity(stem(word), this.size);
  }

  #parse(query: string): ParsedQuery {
    const known = {
      has: (term: string) => this.#postings.has(term),
      nearest: (term: string, limit: number) => this.#spelling.nearest(term, limit),
    };
    return parseQuery(query, known, this.#meanings);
  }

  /** The score of every slot by the words of the query; the array is reused by the next query. */
  #scoreWords({ terms, names }: ParsedQuery): Float64Array {
    if (this.#scores.length < this.#slots.length) {
      this.#scores = new Float64Array(this.#slots.length * 2);
    }
    const scores = this.#scores.fill(0);
    for (const [term, weight] of terms) this.#postings.score(term, weight, this.size, scores);
    for (const name of names) {
      const slots = this.#slotsByName.get(name) ?? NO_SLOTS;
      addToAll(scores, slots, inverseFrequency(slots.size, this.size));
    }
    return scores;
  }

  /** The score of a tool that all words of the query describe. */
  #possibleScore({ terms, unmatched }: ParsedQuery): number {
    let sum = unmatched * inverseFrequency(0, this.size);
    for (const [term, weight] of terms) sum += weight * this.#postings.rarity(term, this.size);
    return sum;
  }

  /**
   * The best score among the tools that may be found, or 1: scores of words and of meanings are on one scale
   * then. Tools that a client may not see must not have an influence on it.
   */
  #bestScore(scores: Float64Array, { toolboxes, accepts }: SearchOptions): number {
    let best = 0;
    for (let slot = 0; slot < this.#slots.length; slot++) {
      const score = scores[slot] as number;
      if (score <= best) continue;
      const { of, tool } = this.#slots[slot] as IndexedTool;
      if (!isSearched(of, toolboxes)) continue;
      const { toolbox, server } = of;
      if (accepts === undefined || accepts({ toolbox, server, tool, score })) best = score;
    }
    return best || 1;
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
      number: ++this.#serverCount,
      terms: [],
      nameTerms: new Set(shared.terms.server),
    };
    const meaning = this.#meanings?.tools.ofServer(shared.terms);
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
      const weighed = chars > MAX_CHARS_PER_SERVER ? nameOnly(text) : text;
      const terms = weighTool(weighed, shared, this.#sums);
      for (const term of terms.name) indexed.nameTerms.add(term);
      this.#sums.forEach((term, sum) => {
        this.#postings.add(term, slot, saturated(sum));
        if (term.lastServer === indexed.number) return;
        term.lastServer = indexed.number;
        indexed.terms.push(term);
      });
      if (meaning !== undefined) this.#meanings?.tools.set(slot, terms, meaning);
      yield;
    }
    return indexed;
  }

  *#removing(indexed: IndexedServer): Generator<void, void> {
    indexed.isFound = false;
    this.#spelling.remove(indexed.nameTerms);
    const slots = new Set(indexed.slots);
    const { terms } = indexed;
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

function isSame(a: ReadonlyMap<string, string>, b: ReadonlyMap<string, string>): boolean {
  return a.size === b.size && [...a].every(([name, text]) => b.get(name) === text);
}

/** Squared, because a moderate closeness says little. */
function byMeaning(closeness: number): number {
  return closeness <= 0 ? 0 : CLOSENESS_WEIGHT * closeness * closeness;
}

function pathOf({ of, tool }: IndexedTool): string {
  return `${of.toolbox}/${of.server}/${tool.name}`;
}

function isSearched(
  { isFound, toolbox }: IndexedServer,
  toolboxes: ReadonlySet<string> | undefined,
): boolean {
  return isFound && (toolboxes === undefined || toolboxes.has(toolbox));
}

function addToAll(scores: Float64Array, slots: Iterable<number>, score: number): void {
  for (const slot of slots) scores[slot] = (scores[slot] as number) + score;
}
