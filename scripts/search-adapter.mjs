/**
 * The interface that the shared evaluation asks of a search method, over the workbench's index.
 * Each server of the corpus is indexed on its own, as the workbench does; what the corpus says
 * about a server takes the place of the server's own instructions.
 */

import { answerSearch } from "../src/search/answer.ts";
import { ToolIndex } from "../src/search/tool-index.ts";
import { wordTable } from "../src/workbench/discovery/word-table-file.ts";

export const name = "workbench";

const TOOLBOX = { name: "all" };
let tools;
let table;

/** The variable that makes it search without the table of word vectors. */
export const WORDS_ONLY = "SEARCH_WORDS_ONLY";

/** The table of word vectors is loaded once, with the first search. */
export async function init() {
  if (process.env[WORDS_ONLY] === undefined) table = await wordTable();
}

export function index(corpus) {
  tools = new ToolIndex(table);
  const servers = new Map();
  for (const tool of corpus) {
    if (!servers.has(tool.server)) servers.set(tool.server, []);
    servers.get(tool.server).push(tool);
  }
  for (const [server, own] of servers) {
    tools.replaceServer(TOOLBOX.name, server, own, own[0].serverDescription);
  }
}

export function search(query, limit) {
  return tools.search(query, { limit }).map((hit) => hit.tool.id);
}

/** The text that an agent gets. */
export function answer(query) {
  return answerSearch(tools, [TOOLBOX], { query });
}
