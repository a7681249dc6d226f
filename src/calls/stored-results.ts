/** A stored result. */
export interface StoredResult {
  readonly text: string;
  /** False for text that is not JSON. */
  readonly isJson: boolean;
}

/** The results that are stored for one client. Those of other clients do not exist for it. */
export interface StoredResults {
  /** The ids of its results, oldest first. */
  readonly ids: readonly string[];
  /** Undefined if it has no such result, or no longer. */
  read(id: string): Promise<StoredResult | undefined>;
  /** Stores a text and returns its id; undefined if it cannot be stored. */
  store(result: StoredResult): Promise<string | undefined>;
}
