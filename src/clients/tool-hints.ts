/**
 * What clients read in the `_meta` of a tool; models do not see it, and other clients ignore it. The
 * keys are the vendor's and may change, so each row has its source and the date on which it was read.
 */
export interface ClientToolHints {
  /** The client's id in the table of clients. */
  readonly client: string;
  /** `true` keeps the tool loaded: of most tools the client shows the model only the name, until it searches. */
  readonly alwaysLoad?: string;
  /** Words by which the client's own search finds the tool, and how many characters are sensible. */
  readonly searchHint?: { readonly key: string; readonly chars: number };
  /** The size of results up to which the client shows all of it, and the most that it accepts. */
  readonly resultChars?: { readonly key: string; readonly max: number };
  readonly source: string;
  readonly date: string;
}

export const CLIENT_TOOL_HINTS: readonly ClientToolHints[] = [
  {
    client: "claude-code",
    alwaysLoad: "anthropic/alwaysLoad",
    searchHint: { key: "anthropic/searchHint", chars: 100 },
    resultChars: { key: "anthropic/maxResultSizeChars", max: 500_000 },
    source: "the published program of version 2.1.197, where it reads the tools of a server",
    date: "2026-11-17",
  },
];
