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
  /** What is known about its server: a description or instructions. */
  readonly about?: string;
  /** How well it answers the query, from 0 to 1. */
  readonly fit?: number;
  /** Other servers that have the same tool. */
  readonly also?: readonly { readonly toolbox: string; readonly server: string }[];
}
