/** The results that are stored for one client. Those of other clients do not exist for it. */
export interface StoredResults {
  /** The text of a result; undefined if the client has no such result, or no longer. */
  read(id: string): Promise<string | undefined>;
  /** Stores a text and returns its id; undefined if it cannot be stored. */
  store(text: string): Promise<string | undefined>;
}

/** The longest text that a client gets, and why. */
export interface TextLimit {
  readonly chars: number;
  readonly reason: string;
}

/**
 * What gets the output of a script: an agent, which can read on in what is stored; a program, or a client
 * without `run_script`, which cannot; or another script, which gets all of it.
 */
export type OutputReader = "agent" | "program" | "script";
