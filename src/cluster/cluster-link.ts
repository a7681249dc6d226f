/** The connection of a replica to the others: through Redis, with keys that all of them have. */
export interface ClusterLink {
  /** Identifies this replica; new at each start. */
  readonly replica: string;
  /** Where the other replicas reach this one, without a path. */
  readonly advertise: string;
  /** Whether Redis answers. */
  readonly isUp: boolean;
  /** The time that all replicas have: that of Redis, because the clocks of their machines may differ. In milliseconds. */
  readonly now: number;
  /** The name of a key in Redis: several clusters may share one. */
  key(name: string): string;
  /** Encrypts a text for a purpose; any replica can open it. The result is base64url. */
  seal(text: string, purpose: string): string;
  /** The text that was sealed for this purpose; undefined for anything else. */
  open(sealed: string, purpose: string): string | undefined;
  /** Whether a text was sealed with the key that seals now, and not with one that is about to be removed. */
  isCurrent(sealed: string, purpose: string): boolean;
  /** A code that only replicas can make, in base64url. */
  sign(text: string, purpose: string): string;
  /** The codes that replicas make while the key is replaced; the first one is that of this replica. */
  codes(text: string, purpose: string): readonly string[];
  verify(signature: string, text: string, purpose: string): boolean;
  /**
   * Sends a command to Redis. Rejects at once while Redis is away, and if it does not answer in time. No command may
   * wait in Redis (such as `BLPOP`), because all share one connection. Keys need `key(…)`.
   */
  command(name: string, ...args: readonly (string | number | Buffer)[]): Promise<unknown>;
  /** Runs a Lua script in Redis. `keys` need `key(…)`. */
  script(
    lua: string,
    keys: readonly string[],
    args: readonly (string | number | Buffer)[],
  ): Promise<unknown>;
  /** Sends a small message to all replicas, this one included, sealed. It is lost while Redis is away. */
  publish(channel: string, message: string): void;
  /** Calls the listener with messages of replicas, until the returned function is called. */
  subscribe(channel: string, listener: (message: string) => void): () => void;
  /**
   * Calls the listener each time Redis can be used (again), and at once if it can be now: what was published in the
   * meantime is lost, so that the listener reads what it needs. Returns a function that removes it.
   */
  onUp(listener: () => void): () => void;
  /** Redis has lost its data without a break of the connection, as after `FLUSHALL`: calls the same listeners. */
  reportLoss(): void;
  /** Resolves when Redis has answered for the first time, or did not in the first seconds. */
  readonly started: Promise<void>;
  close(): Promise<void>;
}
