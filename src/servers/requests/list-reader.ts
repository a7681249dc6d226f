import { reasonOf } from "../../errors.ts";
import { detached } from "../../text/detached.ts";
import { type Shape, inexactKey, shapeOf } from "../../wire/exact-keys.ts";
import { excessOf } from "../../wire/json-limits.ts";
import { compact, elementSpans, scanMembers, valueEnd } from "../../wire/members.ts";
import { type JsonObject, isObject } from "../../wire/messages.ts";
import type { ServerResponse } from "../../wire/response.ts";
import { ServerProblem } from "../server-problem.ts";
import type { Slices } from "../slices.ts";

/** An item of a listing: parsed, and as the server wrote it except for white space. */
export interface ListedItem {
  readonly value: JsonObject;
  readonly text: string;
}

/**
 * Lists are kept in memory and shown to models. The largest known ones take about 100 KB in all, a
 * very large page of 10,000 tools a few megabytes.
 */
export const MAX_LIST_CHARS = 8 * 1024 * 1024;
export const MAX_ITEM_CHARS = 1024 * 1024;

export type ListKey = "tools" | "prompts" | "resources" | "resourceTemplates" | "skills" | "tasks";

/** The member that identifies the items of a list, and the members that are read or replaced. */
const ITEMS: Readonly<Record<ListKey, { readonly known: string; readonly shape: Shape }>> = {
  tools: { known: "name", shape: shapeOf(["name", "description", "inputSchema", "_meta"]) },
  prompts: { known: "name", shape: shapeOf(["name"]) },
  resources: { known: "uri", shape: shapeOf(["uri"]) },
  resourceTemplates: { known: "uriTemplate", shape: shapeOf(["uriTemplate"]) },
  skills: { known: "uri", shape: shapeOf(["uri", "frontmatter", "resources"]) },
  tasks: { known: "taskId", shape: shapeOf(["taskId"]) },
};

/**
 * Reads the pages of one listing. Items are parsed one by one, in slices: parsing a page of
 * megabytes at once would block all clients.
 */
export class ListReader {
  readonly items: ListedItem[] = [];
  /** Why the remaining items were not read. */
  exceeded: "items" | "bytes" | undefined;
  /** The number of items that were too large, or have ambiguous keys. */
  leftOut = 0;
  readonly #method: string;
  readonly #key: ListKey;
  readonly #maxItems: number;
  readonly #slices: Slices;
  /** The number of items that were checked, usable or not. */
  #count = 0;
  #chars = 0;

  constructor(method: string, key: ListKey, maxItems: number, slices: Slices) {
    this.#method = method;
    this.#key = key;
    this.#maxItems = maxItems;
    this.#slices = slices;
  }

  get isFull(): boolean {
    return this.#count >= this.#maxItems;
  }

  /** Reads the items of one page; returns the cursor of the next. */
  async read(response: ServerResponse): Promise<string | undefined> {
    const slices = this.#slices;
    slices.begin();
    try {
      const text = response.withId("0");
      // Each of these may take long, whatever a page of many megabytes contains.
      if (slices.due) await slices.rest();
      const page = pageIn(text, this.#key);
      if (slices.due) await slices.rest();
      const list = page.get(this.#key);
      if (list === undefined || text[list] !== "[")
        throw badAnswer(`its answer to ${this.#method} has no list '${this.#key}'`);
      for (const { start, end } of elementSpans(text, list)) {
        if (!this.#take(text, start, end)) break;
        if (slices.due) await slices.rest();
      }
      const cursor = page.get(CURSOR);
      if (cursor === undefined || text[cursor] !== '"') return undefined;
      const end = valueEnd(text, cursor);
      const isUsable = end - cursor <= MAX_CURSOR_CHARS;
      return isUsable ? (parsed(text.slice(cursor, end)) as string) : undefined;
    } finally {
      slices.end();
    }
  }

  /** Adds an item if it is usable; false if the list has to end before it. */
  #take(text: string, start: number, end: number): boolean {
    if (end - start > MAX_ITEM_CHARS) {
      this.leftOut++;
      return true;
    }
    if (this.isFull) this.exceeded = "items";
    else if ((this.#chars += end - start) > MAX_LIST_CHARS) this.exceeded = "bytes";
    if (this.exceeded !== undefined) return false;
    this.#count++;
    const item = this.#itemIn(text.slice(start, end));
    if (item !== undefined) this.items.push(item);
    return true;
  }

  /** Items that are not objects, or have no name, are unusable and left out. */
  #itemIn(text: string): ListedItem | undefined {
    const { known, shape } = ITEMS[this.#key];
    const isExcessive = excessOf(text) !== undefined;
    const value = isExcessive ? undefined : parsed(text);
    const isUsable = isObject(value) && typeof value[known] === "string";
    if (isUsable && inexactKey(text, shape) === undefined)
      return { value, text: detached(compact(text)) };
    if (isExcessive || isUsable) this.leftOut++;
    return undefined;
  }
}

const CURSOR = "nextCursor";
const MAX_CURSOR_CHARS = 64 * 1024;

/** Where the values of the result start, by key. */
function pageIn(text: string, key: string): Map<string, number> {
  let page = new Map<string, number>();
  scanMembers(text, 0, (member, start) => {
    if (member !== "result") return undefined;
    page = new Map();
    return scanMembers(text, start, (inner, at) => {
      if (inner === key || inner === CURSOR) page.set(inner, at);
      return undefined;
    });
  });
  return page;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw badAnswer(`its answer is not JSON: ${reasonOf(error)}`, error);
  }
}

function badAnswer(reason: string, cause?: unknown): ServerProblem {
  return new ServerProblem("badAnswer", reason, cause);
}
