import type { ToolboxOutline } from "../../config/outline.ts";
import { cautiousTokens, truncateToTokens } from "../../text/truncate.ts";
import { shortList } from "../../text/short-list.ts";

/**
 * What agents read about each toolbox at the start of every conversation. It is part of the
 * description of `open_toolbox`, because every client shows tools to its model and many drop the
 * instructions. The names of the servers come first: they are the words that users say. With the
 * name in the enum and in the instructions, a toolbox must stay within 40 tokens, so a long name
 * leaves less room for the rest.
 */

const MAX_TOKENS = 26;
const MIN_TOKENS = 4;
/** Reserved for the purpose if there are many servers. */
const TOKENS_FOR_PURPOSE = 9;
/** Reserved for keywords if the purpose is long. */
const TOKENS_FOR_KEYWORDS = 6;
const USUAL_NAME_TOKENS = 2;
const TIMES_NAMED = 3;

/** Some clients cut descriptions at 2,048 characters; the rest of the description needs 200. */
const MAX_CHARS = 1800;
const SHORTER = 0.8;

/** Without those whose servers are all disabled, unless there are no others: opening one is a wasted call. */
export function openable<Box extends Pick<ToolboxOutline, "servers">>(
  toolboxes: readonly Box[],
): readonly Box[] {
  const found = toolboxes.filter(
    ({ servers }) => servers.size === 0 || enabledServers(servers).length > 0,
  );
  return found.length > 0 ? found : toolboxes;
}

/** One line for each toolbox, shorter if there are so many that a client would cut the last ones. */
export function toolboxList(toolboxes: readonly ToolboxOutline[]): string {
  let tokens = MAX_TOKENS;
  for (;;) {
    const lines = toolboxes.map((toolbox) => `\n- ${toolboxLine(toolbox, tokens)}`).join("");
    if (lines.length <= MAX_CHARS || tokens <= MIN_TOKENS) return lines;
    tokens *= SHORTER;
  }
}

/** Servers, purpose and keywords: `dev: github, jira — Issues of the project (git, diff)`. */
export function toolboxLine(toolbox: ToolboxOutline, maxTokens = MAX_TOKENS): string {
  const { name, keywords } = toolbox;
  const tokens = affordable(maxTokens, name);
  const servers = serversWithin(
    enabledServers(toolbox.servers),
    tokens,
    // With very many toolboxes, names would make the list too long for clients.
    maxTokens > MIN_TOKENS,
  );
  const left = tokens - cautiousTokens(servers);
  const reserved =
    keywords.length === 0
      ? 0
      : Math.min(cautiousTokens(keywords.join(", ")) + 1, TOKENS_FOR_KEYWORDS);
  const room = left - reserved;
  const purpose = room < MIN_TOKENS ? "" : truncateToTokens(purposeOf(toolbox), room);
  const words = fitting(keywords, left - cautiousTokens(purpose));
  const about = words === "" ? purpose : `${purpose} (${words})`.trimStart();
  const text = [servers, about].filter((part) => part !== "").join(" — ");
  return text === "" ? name : `${name}: ${text}`;
}

/** Without room for both, servers are more important than the purpose, and one is better than none. */
function serversWithin(names: readonly string[], tokens: number, isNeeded: boolean): string {
  const room = Math.max(MIN_TOKENS, Math.floor(tokens) - TOKENS_FOR_PURPOSE);
  const found = fittingServers(names, room) || fittingServers(names, Math.floor(tokens));
  const [first] = names;
  if (found !== "" || first === undefined || !isNeeded) return found;
  return cautiousTokens(first) <= tokens ? shortList(names, 1) : "";
}

/** As many names of servers as fit, and the number of the others. */
function fittingServers(names: readonly string[], tokens: number): string {
  // Every name has at least one token.
  for (let shown = Math.min(names.length, tokens); shown > 0; shown--) {
    const text = shortList(names, shown);
    if (cautiousTokens(text) <= tokens) return text;
  }
  return "";
}

function enabledServers(servers: ToolboxOutline["servers"]): string[] {
  return Array.from(servers).flatMap(([name, { disabled }]) => (disabled ? [] : [name]));
}

/** How `init` lists servers in the descriptions that it writes: first, or at the end. */
const LISTS_OF_SERVERS = [
  /^(?:Tools of )?(?<names>[^:]+?)(?: and \d+ more)?(?::\s*|$)/,
  /\s*\((?<names>[^()]+?)(?: and \d+ more)?\)$/,
];

/** The description without a list of servers, which comes first here anyway. */
function purposeOf({ description, servers }: ToolboxOutline): string {
  for (const list of LISTS_OF_SERVERS) {
    const names = list.exec(description)?.groups?.["names"];
    if (names?.split(", ").every((name) => servers.has(name))) return description.replace(list, "");
  }
  return description;
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

function affordable(tokens: number, name: string): number {
  const surplus = (cautiousTokens(name) - USUAL_NAME_TOKENS) * TIMES_NAMED;
  return Math.max(MIN_TOKENS, tokens - Math.max(0, surplus));
}
