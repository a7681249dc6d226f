/** The texts that the vectors are trained with: tools of public servers, each as several weighted bags of terms. */

import { STOP_WORDS } from "../../src/search/stop-words.ts";
import { toolText } from "../../src/search/searchable-text.ts";
import { nameKey, termsOf } from "../../src/search/text.ts";
import type { ToolDefinition } from "../../src/search/types.ts";
import { wordWeight } from "../../src/search/vectors/word-weight.ts";
import { weighServer, weighTool } from "../../src/search/weights.ts";

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

const SHORTEST = 2;

export function trainingTool(tool: CorpusTool): TrainingTool {
  const text = toolText(tool);
  const about = tool.serverDescription ?? "";
  const shared = weighServer(tool.server, about);
  const noServer = weighServer("", "");
  const bag = (part: Partial<typeof text>, server = shared): Bag =>
    bagOf(weighTool({ ...text, ...part }, server).weights);
  const pairs: Pair[] = [
    { asked: distinct(text.purpose), tool: bag({ purpose: "" }) },
    { asked: distinct(text.name), tool: bag({ name: "" }) },
    { asked: distinct(`${tool.server}\n${about}`), tool: bag({}, noServer) },
  ];
  return {
    server: tool.server,
    key: nameKey(tool.name),
    pairs: pairs.filter(({ asked, tool }) => asked.length >= SHORTEST && tool.terms.length > 0),
    whole: bag({}),
    described: distinct(`${text.purpose}\n${text.details}`),
  };
}

function distinct(text: string): string[] {
  return [...new Set(termsOf(text))].filter((term) => !STOP_WORDS.has(term));
}

function bagOf(weights: ReadonlyMap<string, number>): Bag {
  const counted = [...weights].filter(([, weight]) => wordWeight(weight) > 0);
  return {
    terms: counted.map(([term]) => term),
    weights: counted.map(([, weight]) => wordWeight(weight)),
  };
}
