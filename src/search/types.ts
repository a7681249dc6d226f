/** A tool as its server defines it, kept verbatim; only `name` can be relied upon. */
export interface ToolDefinition {
  readonly name: string;
  readonly title?: unknown;
  readonly description?: unknown;
  readonly inputSchema?: unknown;
  readonly [field: string]: unknown;
}

export interface ToolboxInfo {
  readonly name: string;
  readonly description?: string;
  readonly keywords?: readonly string[];
}

export interface Hit {
  readonly toolbox: string;
  readonly server: string;
  readonly tool: ToolDefinition;
  /** Comparable only within one search. */
  readonly score: number;
  /** What is known about its server, a description or instructions; else the description of its toolbox. */
  readonly about?: string;
  /** How well it answers the query, from 0 to 1. */
  readonly fit?: number;
  /** Other servers that have the same tool. */
  readonly also?: readonly { readonly toolbox: string; readonly server: string }[];
}

export interface SearchOptions {
  readonly limit?: number;
  /** Only tools of these toolboxes; all if absent. */
  readonly toolboxes?: ReadonlySet<string>;
  /** What is added to the scores of tools, by toolbox, server and name. */
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
  /** What it gains because it was used after similar queries. */
  readonly use: number;
  /** Whether the query is the name of the tool. */
  readonly isExact: boolean;
}
