/**
 * What clients do with large results: they truncate them, or write them to a file, and show the model
 * a part. Other clients are not known to do so. The values change often, so each has its source and
 * the date on which it was read.
 */
export interface ClientResultLimit {
  /** The client's id in the table of clients. */
  readonly client: string;
  /** The name in its `clientInfo`. */
  readonly name: string;
  /** True if the name of the entry in its configuration follows the name. */
  readonly isPrefix?: boolean;
  /** The largest text that reaches the model as it is, in characters, bytes of UTF-8 and lines. */
  readonly chars?: number;
  readonly bytes?: number;
  readonly lines?: number;
  /** The member of a tool's `_meta` with which the tool can ask for more characters. */
  readonly raisedBy?: string;
  readonly source: string;
  readonly date: string;
}

export const CLIENT_RESULT_LIMITS: readonly ClientResultLimit[] = [
  {
    client: "claude-code",
    name: "claude-code",
    chars: 50_000,
    raisedBy: "anthropic/maxResultSizeChars",
    source: "vendor's documentation of MCP output limits, as quoted by qiita.com/akihidem",
    date: "2026-10-05",
  },
  {
    client: "codex",
    name: "codex-mcp-client",
    bytes: 10_000,
    source: "openai/codex: codex-rs/utils/output-truncation, issues 6544, 7906 and 14466",
    date: "2026-11-17",
  },
  {
    client: "copilot-cli",
    name: "github-copilot-developer",
    chars: 10_240,
    source: "github/copilot-cli: issues 1268 (name) and 1732 (limit)",
    date: "2026-11-17",
  },
  {
    client: "gemini-cli",
    name: "gemini-cli-mcp-client",
    isPrefix: true,
    chars: 40_000,
    source: "google-gemini/gemini-cli: pull request 19365",
    date: "2026-11-17",
  },
  {
    client: "opencode",
    name: "opencode",
    bytes: 51_200,
    lines: 2000,
    source: "anomalyco/opencode: commit d545d8fb and issue 35661",
    date: "2026-11-17",
  },
  {
    client: "qwen-code",
    name: "qwen-cli-mcp-client",
    isPrefix: true,
    chars: 25_000,
    lines: 1000,
    source: "QwenLM/qwen-code: issue 2439 and pull request 2446",
    date: "2026-11-17",
  },
];

/** The limit of the client with this name; undefined if it is not known to have one. */
export function resultLimitOf(clientName: unknown): ClientResultLimit | undefined {
  if (typeof clientName !== "string") return undefined;
  return CLIENT_RESULT_LIMITS.find(({ name, isPrefix }) =>
    isPrefix ? clientName.startsWith(name) : clientName === name,
  );
}
