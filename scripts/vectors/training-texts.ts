/** The texts that the vectors are trained with: tools of public servers, each as several weighted bags of terms. */

import { STOP_WORDS } from "../../src/search/stop-words.ts";
import { toolText } from "../../src/search/searchable-text.ts";
import { nameKey, termsOf } from "../../src/search/text.ts";
import type { ToolDefinition } from "../../src/search/types.ts";
import { MEANING_WEIGHTS } from "../../src/search/vectors/meaning-weights.ts";

export interface CorpusTool extends ToolDefinition {
  readonly server: string;
  readonly serverDescription?: string;
}

export interface Bag {
  readonly terms: readonly string[];
  readonly weights: readonly number[];
}

/** One part of a tool's text, as a query would give it, and the rest, as the index sees it. */
export interface Pair {
  readonly asked: readonly string[];
  readonly tool: Bag;
}

export interface TrainingTool {
  readonly server: string;
  /** Tools with the same key mean the same, so none is a wrong answer for another. */
  readonly key: string;
  readonly pairs: readonly Pair[];
  readonly whole: Bag;
  /** The terms of the description: random halves of them are further pairs. */
  readonly described: readonly string[];
}

/** As in a search, and a little of the details: words that occur nowhere else are trained, too. */
const { name, purpose, server, parameters, about } = MEANING_WEIGHTS;
const WEIGHTS = { name, purpose, server, parameters, details: 0.1, about };
type Field = keyof typeof WEIGHTS;

const FIELDS = Object.keys(WEIGHTS) as Field[];
const SHORTEST = 2;

export function trainingTool(tool: CorpusTool): TrainingTool {
  const texts = { ...toolText(tool), server: tool.server, about: tool.serverDescription ?? "" };
  const bagWithout = (...left: readonly Field[]): Bag =>
    bagOf(FIELDS.filter((field) => !left.includes(field)).map((field) => [field, texts[field]]));
  const pairs: Pair[] = [
    { asked: distinct(texts.purpose), tool: bagWithout("purpose") },
    { asked: distinct(texts.name), tool: bagWithout("name") },
    { asked: distinct(`${texts.server}\n${texts.about}`), tool: bagWithout("server", "about") },
  ];
  return {
    server: tool.server,
    key: nameKey(tool.name),
    pairs: pairs.filter(({ asked, tool }) => asked.length >= SHORTEST && tool.terms.length > 0),
    whole: bagWithout(),
    described: distinct(`${texts.purpose}\n${texts.details}`),
  };
}

function distinct(text: string): string[] {
  return [...new Set(termsOf(text))].filter((term) => !STOP_WORDS.has(term));
}

/** A word counts once in each text, as in a search. */
function bagOf(texts: readonly (readonly [Field, string])[]): Bag {
  const weights = new Map<string, number>();
  for (const [field, text] of texts)
    for (const term of distinct(text)) weights.set(term, (weights.get(term) ?? 0) + WEIGHTS[field]);
  return { terms: [...weights.keys()], weights: [...weights.values()] };
}
