/** What may be shown about a token. */
export interface TokenSummary {
  readonly name: string;
  readonly id: string;
  /** Null, and `servers` too: all toolboxes. */
  readonly toolboxes: readonly string[] | null;
  /** As `toolbox/server`. */
  readonly servers: readonly string[] | null;
  readonly readOnly: boolean;
  readonly createdAt: string;
  readonly rotatedAt: string | null;
  readonly expiresAt: string | null;
  readonly lastUsedAt: string | null;
  readonly expired: boolean;
}
