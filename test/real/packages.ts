/** The published clients and servers that the full suite runs, at exact versions. */
import type { PublishedPackage } from "./install.ts";

export const CLAUDE_CODE: PublishedPackage = {
  package: "@anthropic-ai/claude-code",
  version: "2.1.197",
  bin: "claude",
  // Puts the program of this platform in place.
  scripts: true,
};
export const CODEX: PublishedPackage = {
  package: "@openai/codex",
  version: "0.166.0",
  bin: "codex",
};
export const GEMINI_CLI: PublishedPackage = {
  package: "@google/gemini-cli",
  version: "0.61.0",
  bin: "gemini",
};
export const OPENCODE: PublishedPackage = {
  package: "opencode-ai",
  version: "1.18.33",
  bin: "opencode",
  // Puts the program of this platform in place.
  scripts: true,
};

/** A server, and a call that changes nothing and needs nothing but this machine. */
export interface PublishedServer extends PublishedPackage {
  readonly name: string;
  readonly args?: readonly string[];
  /** `{backend}` is the address of `startBackend`, which replaces the service behind the server. */
  readonly env?: Readonly<Record<string, string>>;
  /** How many tools this version has. */
  readonly tools: number;
  /** `{workspace}` is a folder with a few files. */
  readonly call: { readonly name: string; readonly arguments: Readonly<Record<string, unknown>> };
  /** Part of the answer. */
  readonly answer: string;
}

export const SERVERS: readonly PublishedServer[] = [
  {
    name: "thinking",
    package: "@modelcontextprotocol/server-sequential-thinking",
    version: "2026.8.31",
    bin: "mcp-server-sequential-thinking",
    tools: 1,
    call: {
      name: "sequentialthinking",
      arguments: { thought: "a", nextThoughtNeeded: false, thoughtNumber: 1, totalThoughts: 1 },
    },
    answer: "thoughtHistoryLength",
  },
  {
    // Speaks 2024-11-05. Its address is fixed, so the call is one that it refuses itself.
    name: "github",
    package: "@modelcontextprotocol/server-github",
    version: "2025.4.8",
    bin: "mcp-server-github",
    env: { GITHUB_PERSONAL_ACCESS_TOKEN: "gh-0f3a91c7" },
    tools: 26,
    call: { name: "get_issue", arguments: {} },
    answer: "Invalid input",
  },
  {
    // The longest list of all.
    name: "gitlab",
    package: "@zereight/mcp-gitlab",
    version: "2.1.64",
    bin: "mcp-gitlab",
    env: {
      GITLAB_API_URL: "{backend}/gitlab/api/v4",
      GITLAB_PERSONAL_ACCESS_TOKEN: "gl-5d82be04",
      // Otherwise every start runs npm three times and asks its registry for a newer version.
      GITLAB_DISABLE_VERSION_CHECK: "true",
    },
    tools: 118,
    call: { name: "list_projects", arguments: {} },
    answer: "ada/shop",
  },
  {
    name: "git",
    package: "@cyanheads/git-mcp-server",
    version: "2.15.3",
    bin: "git-mcp-server",
    tools: 28,
    call: { name: "git_status", arguments: { path: "{workspace}" } },
    answer: "eslint.config.mjs",
  },
  {
    name: "eslint",
    package: "@eslint/mcp",
    version: "0.3.13",
    bin: "mcp",
    tools: 1,
    call: { name: "lint-files", arguments: { filePaths: ["{workspace}/index.js"] } },
    answer: "no-var",
  },
  {
    name: "shadcn",
    package: "shadcn",
    version: "4.23.0",
    bin: "shadcn",
    args: ["mcp"],
    tools: 7,
    call: { name: "get_audit_checklist", arguments: {} },
    answer: "Checklist",
  },
  {
    name: "notion",
    package: "@notionhq/notion-mcp-server",
    version: "2.5.2",
    bin: "notion-mcp-server",
    env: { BASE_URL: "{backend}/notion", NOTION_TOKEN: "nt-71ca4f96" },
    tools: 24,
    call: { name: "API-get-self", arguments: {} },
    answer: "Ada",
  },
  {
    // Writes lines to standard output that are not messages, and ignores the end of its input.
    name: "elasticsearch",
    package: "@elastic/mcp-server-elasticsearch",
    version: "0.3.1",
    bin: "mcp-server-elasticsearch",
    env: { ES_URL: "{backend}/elasticsearch", ES_API_KEY: "es-c2907bd3" },
    tools: 4,
    call: { name: "list_indices", arguments: { indexPattern: "*" } },
    answer: "books",
  },
  {
    name: "chart",
    package: "@antv/mcp-server-chart",
    version: "0.9.10",
    bin: "mcp-server-chart",
    env: { VIS_REQUEST_SERVER: "{backend}/chart" },
    tools: 27,
    call: { name: "generate_pie_chart", arguments: { data: [{ category: "a", value: 1 }] } },
    answer: "pie.png",
  },
  {
    name: "mapbox",
    package: "@mapbox/mcp-server",
    version: "0.2.0",
    bin: "mcp-server",
    env: {
      MAPBOX_API_ENDPOINT: "{backend}/mapbox/",
      // It wants a token of three parts, whatever they hold.
      MAPBOX_ACCESS_TOKEN: "mb.4e8a16f0.d5",
    },
    tools: 8,
    call: { name: "ReverseGeocodeTool", arguments: { longitude: 13.4, latitude: 52.5 } },
    answer: "Berlin",
  },
];

/** OTLP's published definitions, compiled by OpenTelemetry; what is loaded is not a program. */
export const OTLP_DEFINITIONS: PublishedPackage = {
  package: "@opentelemetry/otlp-transformer",
  version: "0.57.2",
  bin: "../@opentelemetry/otlp-transformer/build/src/generated/root.js",
};

/** A server whose tool has a page (MCP Apps), which calls the tool again. */
export const APP_SERVER: PublishedPackage = {
  package: "@modelcontextprotocol/server-basic-vanillajs",
  version: "2.0.3",
  bin: "mcp-server-basic-vanillajs",
};
