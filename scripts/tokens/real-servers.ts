/** Servers that people use, in pinned versions. They list their tools without an account or a network. */
export interface RealServer {
  readonly toolbox: string;
  readonly name: string;
  readonly package: string;
  readonly version: string;
  /** Its program, if it is not the only one of the package. */
  readonly bin?: string;
  readonly args?: readonly string[];
  /** What it requires before it starts; the values are made up. */
  readonly env?: Readonly<Record<string, string>>;
}

export const TOOLBOXES: Readonly<Record<string, string>> = {
  code: "Source code, reviews, builds and library documentation",
  web: "Browsers, web pages and scraping",
  office: "Documents, messages, customers and notes",
  ops: "Errors in production and clusters",
};

const MADE_UP = "made-up";

export const REAL_SERVERS: readonly RealServer[] = [
  {
    toolbox: "code",
    name: "github",
    package: "@modelcontextprotocol/server-github",
    version: "2025.4.8",
    env: { GITHUB_PERSONAL_ACCESS_TOKEN: MADE_UP },
  },
  { toolbox: "code", name: "git", package: "@cyanheads/git-mcp-server", version: "2.15.3" },
  {
    toolbox: "code",
    name: "circleci",
    package: "@circleci/mcp-server-circleci",
    version: "0.20.0",
    env: { CIRCLECI_TOKEN: MADE_UP },
  },
  { toolbox: "code", name: "context7", package: "@upstash/context7-mcp", version: "4.1.1" },
  { toolbox: "web", name: "playwright", package: "@playwright/mcp", version: "0.0.83" },
  {
    toolbox: "web",
    name: "chrome-devtools",
    package: "chrome-devtools-mcp",
    version: "1.11.0",
    bin: "chrome-devtools-mcp",
  },
  {
    toolbox: "web",
    name: "firecrawl",
    package: "firecrawl-mcp",
    version: "3.22.2",
    env: { FIRECRAWL_API_KEY: MADE_UP },
  },
  {
    toolbox: "office",
    name: "notion",
    package: "@notionhq/notion-mcp-server",
    version: "2.5.2",
    env: { NOTION_TOKEN: MADE_UP },
  },
  {
    toolbox: "office",
    name: "slack",
    package: "@modelcontextprotocol/server-slack",
    version: "2025.4.25",
    env: { SLACK_BOT_TOKEN: MADE_UP, SLACK_TEAM_ID: MADE_UP },
  },
  {
    toolbox: "office",
    name: "hubspot",
    package: "@hubspot/mcp-server",
    version: "0.4.0",
    env: { PRIVATE_APP_ACCESS_TOKEN: MADE_UP },
  },
  {
    toolbox: "office",
    name: "filesystem",
    package: "@modelcontextprotocol/server-filesystem",
    version: "2026.8.31",
    args: ["."],
  },
  {
    toolbox: "office",
    name: "memory",
    package: "@modelcontextprotocol/server-memory",
    version: "2026.8.31",
  },
  {
    toolbox: "ops",
    name: "sentry",
    package: "@sentry/mcp-server",
    version: "0.36.0",
    env: { SENTRY_ACCESS_TOKEN: MADE_UP },
  },
  { toolbox: "ops", name: "kubernetes", package: "mcp-server-kubernetes", version: "4.1.7" },
];
