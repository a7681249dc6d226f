/** What `search_tools` answers: one line per tool, in few tokens, or nothing but definitions. */

import { estimateTokens } from "../text/estimate-tokens.ts";
import { unicodeEscape } from "../text/safe-text.ts";
import { nearestToolboxes } from "./nearest-toolboxes.ts";
import { firstSentence } from "./sentence.ts";
import { returned } from "./return-type.ts";
import { signatureOf } from "./signature.ts";
import { DEFAULT_LIMIT, type ToolIndex } from "./tool-index.ts";
import { doubtAbout, otherQuery } from "./doubt.ts";
import { alsoIn, purposeOf } from "./hit-text.ts";
import { distinctHits } from "./twins.ts";
import type { Hit, ToolboxInfo } from "./types.ts";
import { READ_MARK } from "../text/read-mark.ts";

export interface SearchRequest {
  readonly query: string;
  /** Only tools of this toolbox. */
  readonly toolbox?: string;
  readonly limit?: number;
  /** `schema`: each tool's definition, verbatim, as one line of JSON. */
  readonly detail?: "lines" | "schema";
  /** What tools gain that were used after similar queries, by toolbox, server and name. */
  readonly boosts?: ReadonlyMap<string, number> | undefined;
  /** Whether the client may see a tool. */
  readonly accepts?: ((hit: Hit) => boolean) | undefined;
  /** Whether a tool only reads, if that is shown. */
  readonly isReader?: ((hit: Hit) => boolean) | undefined;
  /** What a tool returns, in at most `maxChars` characters, if that is shown. */
  readonly returnType?: ((hit: Hit, maxChars: number) => string) | undefined;
}

export const MAX_HITS = 20;
const MAX_NEAREST = 5;

/** Estimates may be 10 % too low; with these, true counts stay below 250 for five hits and 600 in total. */
const TOKENS_PER_HIT = 46;
const TOKENS_FOR_FEW_HITS = 100;
const MAX_TOKENS = 540;

/** The number of characters per line for each part of it. */
interface LineDetail {
  readonly signature: number;
  readonly returns: number;
  readonly sentence: number;
}

/** From generous to minimal. */
const LEVELS: readonly LineDetail[] = [
  { signature: 160, returns: 80, sentence: 120 },
  { signature: 120, returns: 80, sentence: 100 },
  { signature: 90, returns: 60, sentence: 90 },
  { signature: 80, returns: 60, sentence: 70 },
  { signature: 60, returns: 40, sentence: 60 },
  { signature: 50, returns: 30, sentence: 40 },
  { signature: 40, returns: 20, sentence: 20 },
  { signature: 20, returns: 0, sentence: 0 },
  { signature: 1, returns: 0, sentence: 0 },
];

/**
 * The result of a search as text. `toolboxes` are those in scope: others neither match nor are
 * suggested. `definitionOf` returns the original text of a definition if it differs from the value
 * that was indexed.
 */
export function answerSearch(
  index: ToolIndex,
  toolboxes: readonly ToolboxInfo[],
  request: SearchRequest,
  definitionOf: (hit: Hit) => string = definitionText,
): string {
  const { query, toolbox, detail = "lines", accepts, boosts } = request;
  const limit = Math.min(Math.max(1, Math.trunc(request.limit ?? DEFAULT_LIMIT)), MAX_HITS);
  const inScope = toolboxes.map(({ name }) => name);
  const options = {
    toolboxes: new Set(inScope.filter((name) => toolbox === undefined || name === toolbox)),
    accepts,
  };
  const find = (most: number): Hit[] => index.search(query, { ...options, limit: most, boosts });
  const hits = detail === "schema" ? find(limit) : distinctHits(find, limit);
  if (hits.length === 0) {
    const nearest = nearestToolboxes(query, toolboxes, MAX_NEAREST);
    const advice = nearest.length === 0 ? "" : `\n${otherQuery(query)}`;
    return formatNearest(nearest) + advice;
  }
  if (detail === "schema") return hits.map(definitionOf).join("\n");
  const doubt = doubtAbout(query, hits, limit, (step, most) =>
    index.search(step, { ...options, limit: most }),
  );
  const last = doubt === "" ? "" : `\n${doubt}`;
  return formatHits(hits, request, estimateTokens(last)) + last;
}

function definitionText({ toolbox, server, tool }: Hit): string {
  return JSON.stringify({ ...tool, toolbox, server });
}

/**
 * As much of each signature and sentence as the budget allows, from which the tokens of what follows are
 * subtracted; identifiers are never cut.
 */
export function formatHits(
  hits: readonly Hit[],
  marks: Pick<SearchRequest, "isReader" | "returnType"> = {},
  following = 0,
): string {
  const most = Math.min(Math.max(TOKENS_FOR_FEW_HITS, hits.length * TOKENS_PER_HIT), MAX_TOKENS);
  const budget = most - following;
  let lines: string[] = [];
  for (const level of LEVELS) {
    lines = hits.map((hit) => lineOf(hit, level, marks));
    if (estimateTokens(lines.join("\n")) <= budget) return lines.join("\n");
  }
  return withinCap(lines, (left) => `… ${left} more: ask for fewer or search more precisely`);
}

export function formatNearest(toolboxes: readonly ToolboxInfo[]): string {
  if (toolboxes.length === 0) return "No tool matches.";
  const lines = toolboxes.map(({ name, description = "" }) => {
    const sentence = firstSentence(description, 120);
    return sentence === "" ? name : `${name} — ${sentence}`;
  });
  return withinCap(["No tool matches. Nearest toolboxes:", ...lines], (left) => `… ${left} more`);
}

function lineOf(
  hit: Hit,
  { signature, returns, sentence }: LineDetail,
  { isReader, returnType }: Pick<SearchRequest, "isReader" | "returnType">,
): string {
  const { toolbox, server, tool } = hit;
  const identifier = `${toolbox}/${server}/${withoutLineBreaks(tool.name)}`;
  const mark = isReader?.(hit) ? READ_MARK : "";
  const type = returns > 0 ? (returnType?.(hit, returns) ?? "") : "";
  const call = `${identifier}(${signatureOf(tool.inputSchema, signature)})${returned(type)}${mark}`;
  const purpose = purposeOf(hit, sentence);
  return `${purpose === "" ? call : `${call} — ${purpose}`}${alsoIn(hit)}`;
}

/** A line break in a name must not be able to fake another hit. */
function withoutLineBreaks(name: string): string {
  return name.replace(/[\p{Cc}\u2028\u2029]/gu, unicodeEscape);
}

/** Leaves out lines at the end, and says how many. */
function withinCap(lines: readonly string[], more: (left: number) => string): string {
  for (let kept = lines.length; kept > 0; kept--) {
    const left = lines.length - kept;
    const text = [...lines.slice(0, kept), ...(left > 0 ? [more(left)] : [])].join("\n");
    if (estimateTokens(text) <= MAX_TOKENS) return text;
  }
  return more(lines.length);
}
