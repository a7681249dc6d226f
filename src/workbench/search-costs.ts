import { answerSearch } from "../search/answer.ts";
import { firstSentence } from "../search/sentence.ts";
import type { ToolIndex } from "../search/tool-index.ts";
import type { ToolDefinition } from "../search/types.ts";
import type { ToolboxSettings } from "../config/types.ts";
import { estimateTokens } from "../text/estimate-tokens.ts";

const MAX_QUERIES = 50;
const QUERY_CHARS = 100;

export interface SearchCosts {
  /** The median cost of an answer. */
  readonly median: number;
  readonly most: number;
}

/** The cost of searches for existing tools, in the words of their authors. */
export function searchCosts(
  index: ToolIndex,
  boxes: readonly ToolboxSettings[],
  tools: readonly ToolDefinition[],
  toolbox?: string,
): SearchCosts | null {
  if (tools.length === 0) return null;
  const step = Math.max(1, Math.floor(tools.length / MAX_QUERIES));
  const asked = tools.filter((_, i) => i % step === 0).slice(0, MAX_QUERIES);
  const costs = asked
    .map(({ name, description }) => {
      const query = firstSentence(typeof description === "string" ? description : "", QUERY_CHARS);
      const request = { query: query || name, ...(toolbox !== undefined && { toolbox }) };
      return estimateTokens(answerSearch(index, boxes, request));
    })
    .sort((a, b) => a - b);
  return { median: costs[Math.floor((costs.length - 1) / 2)] ?? 0, most: costs.at(-1) ?? 0 };
}
