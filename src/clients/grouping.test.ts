/** The grouping of 52 packages that people use. */
import { describe, expect, it } from "vitest";

import { proposeToolboxes } from "./propose.ts";
import type { FoundServer } from "./read.ts";

/** The expected toolbox of each package. */
const EXPECTED: Readonly<Record<string, string>> = {
  code: `@modelcontextprotocol/server-github @modelcontextprotocol/server-gitlab @zereight/mcp-gitlab
    @cyanheads/git-mcp-server @eslint/mcp @circleci/mcp-server-circleci nx-mcp @postman/postman-mcp-server`,
  planning: "task-master-ai",
  docs: "@upstash/context7-mcp @sveltejs/mcp @mui/mcp",
  mobile: "@mobilenext/mobile-mcp xcodebuildmcp",
  design: "figma-developer-mcp shadcn @antv/mcp-server-chart mcp-mermaid",
  data: `@modelcontextprotocol/server-postgres @benborla29/mcp-server-mysql mongodb-mcp-server
    @supabase/mcp-server-supabase @elastic/mcp-server-elasticsearch`,
  ops: "@azure/mcp @heroku/mcp-server mcp-server-kubernetes @sentry/mcp-server",
  communication: "@modelcontextprotocol/server-slack",
  knowledge: `@modelcontextprotocol/server-filesystem @modelcontextprotocol/server-memory
    @notionhq/notion-mcp-server @wonderwhy-er/desktop-commander`,
  web: `@playwright/mcp @modelcontextprotocol/server-puppeteer chrome-devtools-mcp
    @executeautomation/playwright-mcp-server firecrawl-mcp @brightdata/mcp @apify/actors-mcp-server`,
  search: `@modelcontextprotocol/server-brave-search tavily-mcp exa-mcp-server mcp-searxng
    @perplexity-ai/mcp-server`,
  maps: "@modelcontextprotocol/server-google-maps @mapbox/mcp-server",
  business: "@stripe/mcp @hubspot/mcp-server @shopify/dev-mcp",
  general: `@modelcontextprotocol/server-everything @modelcontextprotocol/server-sequential-thinking
    n8n-mcp`,
};

const packagesIn = (list: string): readonly string[] => list.trim().split(/\s+/);

/** An entry named `s12`, so that only the package gives a clue. */
const entryFor = (pkg: string, index: number): FoundServer => {
  const entry = { command: "npx", args: ["-y", `${pkg}@1.2.3`] };
  const name = `s${index}`;
  const place = { client: "cursor", file: "/mcp.json", scope: "user", project: undefined } as const;
  const state = { disabled: false, isWorkbench: false, notes: [], problems: [] };
  return { ...place, ...state, name, path: ["mcpServers", name], entry, raw: entry };
};

const grouped = (packages: readonly string[]): Record<string, readonly string[]> =>
  Object.fromEntries(
    proposeToolboxes(packages.map(entryFor)).toolboxes.map(({ name, servers }) => [
      name,
      servers.map(({ entry }) => (entry.args?.at(-1) ?? "").replace(/@1\.2\.3$/, "")).toSorted(),
    ]),
  );

describe("the proposed grouping of well-known servers", () => {
  const all = Object.values(EXPECTED).flatMap(packagesIn);

  it("puts each of 52 packages where a user would look for it", () => {
    expect(all).toHaveLength(52);
    const expected = Object.entries(EXPECTED).map(([toolbox, list]) => [
      toolbox,
      packagesIn(list).toSorted(),
    ]);
    expect(grouped(all)).toEqual(Object.fromEntries(expected));
  });

  it("proposes no toolbox that is too large to open", () => {
    for (const servers of Object.values(grouped(all))) expect(servers.length).toBeLessThan(9);
  });

  it("joins related groups while they are small", () => {
    const few = ["@playwright/mcp", "tavily-mcp", "@modelcontextprotocol/server-github", "nx-mcp"];
    expect(grouped([...few, "task-master-ai"])).toEqual({
      code: ["@modelcontextprotocol/server-github", "nx-mcp", "task-master-ai"],
      web: ["@playwright/mcp", "tavily-mcp"],
    });
    expect(Object.keys(grouped(["tavily-mcp"]))).toEqual(["search"]);
  });

  it("does not take the program that starts a container for a clue", () => {
    const entry = { command: "docker", args: ["run", "-i", "--rm", "mcp/stripe"] };
    const [box] = proposeToolboxes([{ ...entryFor("", 1), entry }]).toolboxes;
    expect(box?.name).toBe("business");
  });
});
