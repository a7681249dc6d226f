export interface ApiError {
  /** Stable, such as `unauthorized`, `csrf`, `not-found`, `conflict`, `invalid`, `too-large`, `server`. */
  readonly code: string;
  /** A sentence for people. May quote texts of servers: show it as text only. */
  readonly message: string;
  /** What to do about it. */
  readonly hint?: string;
}

/** Part of a list. The server filters and sorts; `limit` is at most 200, and 50 if it is missing. */
export interface Page<T> {
  readonly items: readonly T[];
  /** The number of all items that match. */
  readonly total: number;
  readonly offset: number;
}

/** Numbers are written in decimal. */
export interface PageQuery {
  readonly offset?: string;
  readonly limit?: string;
}

export interface ServerName {
  readonly toolbox: string;
  readonly server: string;
}
