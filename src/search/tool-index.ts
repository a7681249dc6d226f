/**
 * Ranked search over the tools of all servers, opened or not.
 *
 * A change to one server affects only its own entries, and an updated index gives the same results as
 * a new one.
 */

import { Postings, inverseFrequency, type Term } from "./postings.ts";
import { type ParsedQuery, parseQuery, type QueryTerms } from "./query.ts";
import { insertRanked } from "./ranking.ts";
import { TermSums } from "./term-sums.ts";
import { Spelling } from "./spelling.ts";
import { isCandidate, nextAbove, nextCandidate, scoreAt, type Scores } from "./scan.ts";
import { EXACT_NAME, fitOf, MIN_FIT_BESIDE_EXACT } from "./score.ts";
import { stem } from "./stem.ts";
import { spellingsIn, toolKey } from "./text.ts";
import { MAX_NAME_LENGTH, type ToolText, toolText } from "./searchable-text.ts";
import type { Explanation, Hit, SearchOptions, ToolboxInfo, ToolDefinition } from "./types.ts";
import { Meanings } from "./vectors/meanings.ts";
import type { WordTable } from "./vectors/word-table.ts";
import { type WeighedServer, saturated, weighServer, weighTool } from "./weights.ts";

const MAX_ABOUT_LENGTH = 2_000;
export const DEFAULT_LIMIT = 5;
const NO_SLOTS: ReadonlySet<number> = new Set();
const NO_WORDS: QueryTerms = { terms: new Map(), synonyms: new Map(), names: new Set() };

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

type Place = Pick<Hit, "toolbox" | "server">;

interface IndexedServer extends Place {
  readonly tools: readonly ToolDefinition[];
  readonly about: string;
  /** False while it is being indexed and after it has been replaced. */
  isFound: boolean;
  /** The remaining fields are needed to remove the server again. */
  readonly slots: number[];
  readonly number: number;
  readonly terms: Term[];
  readonly nameWords: Set<string>;
}

/** What all tools of a server have in common. */
interface Shared extends WeighedServer {
  readonly meaning: Float64Array | undefined;
}

export class ToolIndex {
  readonly #postings: Postings;
  readonly #sums = new TermSums();
  readonly #spelling = new Spelling();
  readonly #slotsByName = new Map<string, Set<number>>();
  readonly #servers = new Map<string, IndexedServer>();
  readonly #slots: (IndexedTool | undefined)[] = [];
  readonly #freeSlots: number[] = [];
  readonly #meanings: Meanings | undefined;
  /** Of all servers ever added. */
  #serverCount = 0;
  #toolboxTexts: ReadonlyMap<string, string> = new Map();
  #toolboxDescriptions: ReadonlyMap<string, string | undefined> = new Map();
  #wordScores = new Float64Array(0);

  /** With a table of word vectors, tools are also found by the meaning of words. */
  constructor(table?: WordTable) {
    this.#postings = new Postings(table?.rows);
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
    this.#spelling.add(added.nameWords);
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
    this.#toolboxDescriptions = new Map(toolboxes.map((one) => [one.name, one.description]));
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
    const scores = this.#scores(parsed, options);
    const exact = this.#slotsByName.get(parsed.wholeName) ?? NO_SLOTS;
    const possible = this.#possibleScore(parsed) || 1;
    const unknownShare = (parsed.unknown * inverseFrequency(0, this.size)) / possible;
    const maxGain = boosts === undefined ? 0 : Math.max(0, ...boosts.values());
    const best: Hit[] = [];
    let needed = 0;
    let minFit = -1;
    const consider = (slot: number, isExact: boolean): void => {
      const indexed = this.#slots[slot];
      if (indexed === undefined || !isSearched(indexed.of, toolboxes)) return;
      const gain = boosts?.get(pathOf(indexed)) ?? 0;
      const score = scoreAt(scores, slot) + (isExact ? EXACT_NAME : 0) + gain;
      if (score < needed) return;
      const covered = (scores.words[slot] as number) / possible;
      const closeness = scores.closeness[slot] as number;
      const fit = isExact ? 1 : Math.max(fitOf(covered, closeness, unknownShare), gain);
      if (fit < minFit) return;
      const { toolbox, server } = indexed.of;
      const about = indexed.of.about || this.#toolboxDescriptions.get(toolbox) || "";
      const hit = { toolbox, server, tool: indexed.tool, score, about, fit };
      if (accepts !== undefined && !accepts(hit)) return;
      insertRanked(best, hit, limit);
      if (best.length === limit) needed = best.at(-1)?.score ?? 0;
    };
    for (const slot of exact) consider(slot, true);
    if (best.length > 0) minFit = MIN_FIT_BESIDE_EXACT;
    let slot = nextCandidate(scores, 0, needed - maxGain);
    while (slot < scores.count) {
      if (!exact.has(slot)) consider(slot, false);
      slot = nextCandidate(scores, slot + 1, needed - maxGain);
    }
    // What was used after a similar query is worth showing even if it has nothing in common with the words.
    for (const path of boosts?.keys() ?? [])
      for (const used of this.#slotsAt(path))
        if (!isCandidate(scores, used) && !exact.has(used)) consider(used, false);
    return best;
  }

  /** The slots of the tool with this toolbox, server and name. */
  #slotsAt(path: string): number[] {
    const name = path.split("/").slice(2).join("/");
    const sameName = this.#slotsByName.get(toolKey(name.slice(0, MAX_NAME_LENGTH))) ?? NO_SLOTS;
    return [...sameName].filter((slot) => pathOf(this.#slots[slot] as IndexedTool) === path);
  }

  /** Why each of these hits of a query has its place. */
  explain(query: string, hits: readonly Hit[], options: SearchOptions = {}): Explanation[] {
    const parsed = this.#parse(query);
    const { best, closeness } = this.#scores(parsed, options);
    const exact = this.#slotsByName.get(parsed.wholeName) ?? NO_SLOTS;
    const found = hits.map((hit) => {
      const slot = this.#slots.findIndex(
        (one) =>
          one?.tool === hit.tool && one.of.server === hit.server && one.of.toolbox === hit.toolbox,
      );
      const words: { term: string; score: number }[] = [];
      const use = options.boosts?.get(pathOf({ of: hit, tool: hit.tool })) ?? 0;
      return { slot, words, use, closeness: closeness[slot] ?? 0, isExact: exact.has(slot) };
    });
    const parts = [
      ...Array.from(parsed.terms, (term) => ({ ...NO_WORDS, terms: new Map([term]) })),
      ...Array.from(parsed.synonyms, (term) => ({ ...NO_WORDS, synonyms: new Map([term]) })),
      ...Array.from(parsed.names, (name) => ({ ...NO_WORDS, names: new Set([name]) })),
    ];
    for (const part of parts) {
      const scores = this.#scoreWords(part);
      const term = [...part.terms.keys(), ...part.synonyms.keys(), ...part.names].join("");
      for (const { slot, words } of found) {
        const score = (scores[slot] ?? 0) / best;
        if (score > 0) words.push({ term, score });
      }
    }
    return found.map(({ words, closeness, use, isExact }) => {
      words.sort((a, b) => b.score - a.score);
      return { words, closeness, use, isExact };
    });
  }

  /** How rare a word is among the tools: the higher, the rarer. */
  rarity(word: string): number {
    return this.#postings.rarity(stem(word), this.size);
  }

  #parse(query: string): ParsedQuery {
    const known = {
      has: (term: string) => this.#postings.has(term),
      nearest: (word: string, limit: number) => this.#spelling.nearestStems(word, limit),
    };
    return parseQuery(query, known, this.#meanings);
  }

  /** The scores of all slots; the arrays are reused by the next query. */
  #scores(parsed: ParsedQuery, options: SearchOptions): Scores {
    const count = this.#slots.length;
    const words = this.#scoreWords(parsed);
    const best = this.#bestScore(words, options);
    const closeness = this.#meanings?.tools.closenessTo(parsed.meant) ?? new Float64Array(count);
    return { words, best, closeness, count };
  }

  /** By the words of the query. */
  #scoreWords({ terms, synonyms, names }: QueryTerms): Float64Array {
    if (this.#wordScores.length < this.#slots.length) {
      this.#wordScores = new Float64Array(this.#slots.length * 2);
    }
    const scores = this.#wordScores.fill(0);
    for (const [term, weight] of terms) this.#postings.score(term, weight, this.size, scores);
    for (const [term, { of, weight }] of synonyms)
      this.#postings.scoreInstead(term, of, weight, this.size, scores);
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
    const count = this.#slots.length;
    let best = 0;
    for (let slot = nextAbove(scores, 0, count, best); slot < count;) {
      const { of, tool } = this.#slots[slot] as IndexedTool;
      const score = scores[slot] as number;
      const { toolbox, server } = of;
      const isFound =
        isSearched(of, toolboxes) &&
        (accepts === undefined || accepts({ toolbox, server, tool, score }));
      if (isFound) best = score;
      slot = nextAbove(scores, slot + 1, count, best);
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
    const indexed: IndexedServer = {
      toolbox,
      server,
      tools,
      about,
      isFound: false,
      slots: [],
      number: ++this.#serverCount,
      terms: [],
      nameWords: new Set(spellingsIn(server)),
    };
    const aboutText = `${toolboxText}\n${about.slice(0, MAX_ABOUT_LENGTH)}`;
    let shared: Shared | undefined;
    let chars = 0;
    for (const tool of tools) {
      const slot = this.#occupy({
        of: indexed,
        tool,
        nameKey: toolKey(tool.name.slice(0, MAX_NAME_LENGTH)),
      });
      indexed.slots.push(slot);
      const text = toolText(tool);
      chars += text.purpose.length + text.parameters.length + text.details.length;
      const weighed = chars > MAX_CHARS_PER_SERVER ? nameOnly(text) : text;
      // The first tool makes sure that the terms of the server are not removed before the last.
      shared ??= this.#sharedBy(server, aboutText);
      const terms = weighTool(weighed, shared, this.#postings, this.#sums);
      for (const word of spellingsIn(text.name)) indexed.nameWords.add(word);
      this.#sums.forEach((term, sum) => {
        this.#postings.add(term, slot, saturated(sum));
        if (term.lastServer === indexed.number) return;
        term.lastServer = indexed.number;
        indexed.terms.push(term);
      });
      if (shared.meaning !== undefined) this.#meanings?.tools.set(slot, terms, shared.meaning);
      yield;
    }
    return indexed;
  }

  #sharedBy(server: string, about: string): Shared {
    const weighed = weighServer(server, about, this.#postings);
    const meaning = this.#meanings?.tools.ofServer(weighed.terms);
    return { ...weighed, meaning };
  }

  *#removing(indexed: IndexedServer): Generator<void, void> {
    indexed.isFound = false;
    this.#spelling.remove(indexed.nameWords);
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

function pathOf({ of, tool }: { of: Place; tool: ToolDefinition }): string {
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
