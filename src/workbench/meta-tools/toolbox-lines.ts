import { truncateToTokens, cautiousTokens } from "../../text/truncate.ts";

/**
 * What agents read about each toolbox at the start of every conversation: once in the instructions
 * and, because many clients drop these, once in the description of `open_toolbox`. Both together,
 * with the name in the enum, must stay within 40 tokens per toolbox, so a long name leaves less
 * room for the purpose.
 */

/** All that the text about a toolbox depends on. */
export interface ToolboxOutline {
  readonly name: string;
  readonly description: string;
  readonly keywords: readonly string[];
  readonly servers: ReadonlyMap<string, { readonly disabled: boolean }>;
}

const TOKENS_IN_DESCRIPTION = 15;
const TOKENS_IN_INSTRUCTIONS = 12;
const FEWEST_TOKENS = 4;
/** Reserved for keywords if the purpose is long. */
const TOKENS_FOR_KEYWORDS = 6;
const USUAL_NAME_TOKENS = 2;

/** Name, purpose and keywords: `dev: Files and notes of the project (git, diff)`. */
export function describedToolbox({ name, description, keywords }: ToolboxOutline): string {
  const tokens = affordable(TOKENS_IN_DESCRIPTION, name);
  if (keywords.length === 0) return `${name}: ${truncateToTokens(description, tokens)}`;
  const keywordTokens = cautiousTokens(keywords.join(", ")) + 1;
  const purpose = truncateToTokens(
    description,
    tokens - Math.min(keywordTokens, TOKENS_FOR_KEYWORDS),
  );
  const room = tokens - cautiousTokens(purpose);
  const words = fitting(keywords, room);
  return words === "" ? `${name}: ${purpose}` : `${name}: ${purpose} (${words})`;
}

/** Name, size and purpose: `dev (2 servers): Files and notes of the project`. */
export function countedToolbox({ name, description, servers }: ToolboxOutline): string {
  const count = [...servers.values()].filter(({ disabled }) => !disabled).length;
  const size = `${count} ${count === 1 ? "server" : "servers"}`;
  return `${name} (${size}): ${truncateToTokens(description, affordable(TOKENS_IN_INSTRUCTIONS, name))}`;
}

/** As many whole keywords as fit. */
function fitting(keywords: readonly string[], tokens: number): string {
  let words = "";
  for (const keyword of keywords) {
    const more = words === "" ? keyword : `${words}, ${keyword}`;
    if (cautiousTokens(` (${more})`) > tokens) break;
    words = more;
  }
  return words.replace(/\s+/g, " ");
}

/** The name appears three times, and the purpose twice. */
function affordable(tokens: number, name: string): number {
  const surplus = ((cautiousTokens(name) - USUAL_NAME_TOKENS) * 3) / 2;
  return Math.max(FEWEST_TOKENS, tokens - Math.max(0, surplus));
}
