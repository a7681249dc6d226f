/**
 * MCP Apps in every mode and era, for clients with and without the extension. `npm test` has one
 * client of the started program instead (apps-and-skills.test.ts).
 */
import { describe, expect, it } from "vitest";
import { textOrError } from "../support/calls.ts";
import type { Message, Params } from "../support/clients/json-rpc.ts";
import { perTest } from "../support/disposables.ts";
import {
  CELLS,
  type Cell,
  type Request,
  inProcessClient,
  inProcessWorkbench,
} from "../support/in-process-clients.ts";
import { waitFor } from "../support/proc.ts";
import { GENEROUS_MS } from "../support/raw-client.ts";
import { scriptServer } from "../support/script-server.ts";
import { extended } from "../support/servers.ts";

const cleanup = perTest();
const PLACE = { toolbox: "dev", server: "charts" };
const APPS = { extensions: { "io.modelcontextprotocol/ui": { mimeTypes: [] } } };
const cells = CELLS.filter(({ transport }) => transport === "stdio");

async function connect(cell: Cell, capabilities: Params): Promise<Request> {
  const mcpServers = { charts: extended("--apps") };
  const toolboxes = { dev: { description: "Tools", mcpServers } };
  const scripts = { enabled: true };
  const workbench = await inProcessWorkbench(cleanup, { toolboxes, scripts }, cell.mode);
  const request = await inProcessClient(cleanup, workbench, cell, PLACE, capabilities);
  // A search makes the server known in every mode.
  if (cell.mode !== "transparent") await search(request, "refresh chart");
  return request;
}

/** Repeats the search, as its answer advises, until no server is still starting. */
const search = (request: Request, query: string): Promise<string> =>
  waitFor(
    async () => {
      const params = { name: "search_tools", arguments: { query } };
      const answer = JSON.stringify(await request("tools/call", params));
      return !answer.includes("still starting") && answer;
    },
    GENEROUS_MS,
    "every server to be searched",
  );

const schemaOf = async (request: Request, query: string): Promise<string> =>
  textOrError(
    await request("tools/call", { name: "search_tools", arguments: { query, detail: "schema" } }),
  );

interface Listed {
  readonly name: string;
  readonly uri: string;
  readonly _meta?: Params;
}

async function list(request: Request, kind: "tools" | "resources"): Promise<readonly Listed[]> {
  const { result } = await request(`${kind}/list`);
  return (result as Record<string, Listed[]>)[kind] ?? [];
}

const called = (request: Request, name: string): Promise<Message> =>
  request("tools/call", { name, arguments: {} });

describe.each(cells)("MCP Apps, $mode, $era", (cell) => {
  const isTransparent = cell.mode === "transparent";
  const uri = (rest: string): string => `ui://${isTransparent ? "" : "dev.charts/"}${rest}`;
  const tool = (name: string): string => (isTransparent ? name : `dev__charts__${name}`);

  it("shows a client with the extension its tools and pages", async () => {
    const request = await connect(cell, APPS);
    const tools = new Map((await list(request, "tools")).map((one) => [one.name, one]));
    expect(tools.get(tool("show_chart"))?._meta).toMatchObject({
      ui: { resourceUri: uri("charts/bar"), visibility: ["model", "app"] },
      "example.com/kept": true,
    });
    expect(tools.get(tool("show_old_chart"))?._meta).toMatchObject({
      "ui/resourceUri": uri("charts/old.html"),
    });
    // In the view of one server, the client leaves it out itself, as without the workbench.
    expect(tools.has(tool("refresh_chart"))).toBe(isTransparent);
    const notForPages = isTransparent ? undefined : { ui: { visibility: ["model"] } };
    expect(tools.get("search_tools")?._meta ?? {}).toMatchObject(notForPages ?? {});

    const pages = (await list(request, "resources")).filter((one) => one.uri.startsWith("ui:"));
    expect(pages).toMatchObject([
      { uri: uri("charts/bar"), _meta: { ui: { prefersBorder: true } } },
    ]);
    for (const page of ["charts/bar", "charts/old.html"]) {
      const { result } = await request("resources/read", { uri: uri(page) });
      expect(result).toMatchObject({
        contents: [{ uri: uri(page), mimeType: "text/html;profile=mcp-app" }],
      });
    }
    const own = await request("resources/read", { uri: "ui://charts/old.html" });
    expect(own.result).toMatchObject({ contents: [{ uri: "ui://charts/old.html" }] });
  });

  it("gives results the URIs that the client can read", async () => {
    const request = await connect(cell, APPS);
    const shown = (await called(request, tool("show_chart"))).result;
    expect(shown).toMatchObject({
      structuredContent: { bars: [1, 2] },
      _meta: { ui: { resourceUri: uri("charts/bar") } },
    });
    expect(shown?.content?.[1]).toMatchObject({ uri: uri("charts/bar") });
    expect((await called(request, tool("show_old_chart"))).result).toMatchObject({
      _meta: { "ui/resourceUri": uri("charts/old.html") },
    });
  });

  it("lets a page call the tools of its server by their own names", async () => {
    const request = await connect(cell, APPS);
    expect(textOrError(await called(request, "refresh_chart"))).toBe("refreshed");
    expect(textOrError(await called(request, "test_simple_text"))).toMatch("simple text");
  });

  it("shows other clients nothing of it", async () => {
    const request = await connect(cell, {});
    const tools = await list(request, "tools");
    const seen = JSON.stringify([tools, await list(request, "resources")]);
    expect(seen).not.toMatch(/ui:\/\/|"ui|refresh_chart/);
    const isListed = isTransparent || cell.mode === "dynamic";
    expect(tools.some(({ name }) => name === tool("show_chart"))).toBe(isListed);
    const refused = await called(request, "refresh_chart");
    expect(refused.error).toMatchObject({ code: -32602 });
    expect(textOrError(refused)).not.toMatch("not found in server");
    const shown = await called(request, tool("show_chart"));
    expect(JSON.stringify(shown.result?._meta ?? {})).not.toMatch("ui");
    expect(JSON.stringify(shown.result?.content ?? [])).not.toMatch("ui:");
    const hello = cell.era === "modern" ? await request("server/discover") : undefined;
    expect(JSON.stringify(hello ?? {})).not.toMatch("modelcontextprotocol/ui");
  });

  it.skipIf(isTransparent)("shows other clients nothing of it in searches", async () => {
    const request = await connect(cell, {});
    expect(await schemaOf(request, "bar chart")).toMatch('"show_chart"');
    expect(await schemaOf(request, "bar chart")).not.toMatch(/ui:\/\/|"ui/);
  });

  // In the other modes, it has no definitions.
  it.skipIf(cell.mode !== "proxy")("shows them nothing of it in open_toolbox", async () => {
    const request = await connect(cell, {});
    const opening = { name: "open_toolbox", arguments: { toolbox: "dev" } };
    const opened = textOrError(await request("tools/call", opening));
    expect(opened).toMatch('"show_chart"');
    expect(opened).not.toMatch(/ui:\/\/|"ui/);
  });

  // There are no meta-tools in the view of one server.
  it.skipIf(isTransparent)("keeps tools for pages from the model", async () => {
    const request = await connect(cell, APPS);
    expect(await search(request, "refresh_chart")).not.toMatch(/refresh_chart[^"]*\(/);
    const script = 'return await call("dev/charts/refresh_chart", {})';
    const ran = await request("tools/call", { name: "run_script", arguments: { script } });
    expect(JSON.stringify(ran)).toMatch(/not found/);
    if (cell.mode !== "proxy") return;
    const used = { tool: { ...PLACE, name: "refresh_chart" }, arguments: {} };
    const response = await request("tools/call", { name: "use_tool", arguments: used });
    expect(textOrError(response)).toMatch(/not found/);
  });
});

/** Offers a tool with a page to clients that show pages, and the same without it to others. */
const CAREFUL = `
let hasPages = false;
const answers = legacy({ tools: {}, resources: {} });
serve({
  ...answers,
  initialize: (params) => {
    hasPages = "io.modelcontextprotocol/ui" in (params.capabilities.extensions ?? {});
    return answers.initialize();
  },
  "tools/list": () => ({
    tools: [
      {
        name: "show_map",
        description: "Shows a map",
        inputSchema: { type: "object" },
        ...(hasPages && { _meta: { ui: { resourceUri: "ui://map" } } }),
      },
    ],
  }),
  "tools/call": ({ arguments: { isError = false } }) => ({
    isError,
    content: [{ type: "text", text: "A map" }],
    _meta: { ui: { resourceUri: "ui://map" } },
  }),
});`;

describe("a server that asks whether its client shows pages", () => {
  const place = { toolbox: "dev", server: "map" };
  const toolboxes = () => ({
    dev: { description: "Maps", mcpServers: { map: scriptServer(cleanup, CAREFUL) } },
  });

  it("is known with its pages after a search", async () => {
    const workbench = await inProcessWorkbench(cleanup, { toolboxes: toolboxes() });
    const cell: Cell = { mode: "proxy", era: "legacy", transport: "stdio" };
    const request = await inProcessClient(cleanup, workbench, cell, place, APPS);
    await search(request, "map");
    const names = (await list(request, "tools")).map(({ name }) => name);
    expect(names).toContain("dev__map__show_map");
  });

  it("has the client's URIs in failures, too", async () => {
    const workbench = await inProcessWorkbench(cleanup, { toolboxes: toolboxes() });
    const cell: Cell = { mode: "proxy", era: "legacy", transport: "stdio" };
    const used = { tool: { ...place, name: "show_map" }, arguments: { isError: true } };
    const failing = { name: "use_tool", arguments: used };
    const withPages = await inProcessClient(cleanup, workbench, cell, place, APPS);
    const { result } = await withPages("tools/call", failing);
    expect(result?._meta).toEqual({ ui: { resourceUri: "ui://dev.map/map" } });
  });
});

/** Names its page as clients of one vendor expect it, and escapes slashes as some languages do. */
const VENDOR = `
const meta = { "openai/outputTemplate": "ui://map" };
const link = { type: "resource_link", uri: "ui://map", name: "map" };
const write = process.stdout.write.bind(process.stdout);
process.stdout.write = (text) => write(text.replaceAll("/", "\\\\/"));
serve({
  ...legacy({ tools: {} }),
  "tools/list": () => ({
    tools: [{ name: "show_map", description: "Shows a map", inputSchema: {}, _meta: meta }],
  }),
  "tools/call": () => ({ content: [link], _meta: meta }),
});`;

describe("a server that names its page for one vendor", () => {
  const place = { toolbox: "dev", server: "map" };
  const used = { tool: { ...place, name: "show_map" }, arguments: {} };
  const cell: Cell = { mode: "proxy", era: "legacy", transport: "stdio" };
  const connected = async (capabilities: Params): Promise<Request> => {
    const mcpServers = { map: scriptServer(cleanup, VENDOR) };
    const toolboxes = { dev: { description: "Maps", mcpServers } };
    const workbench = await inProcessWorkbench(cleanup, { toolboxes });
    return inProcessClient(cleanup, workbench, cell, place, capabilities);
  };

  it("is shown like others, with URIs that the client can read", async () => {
    const request = await connected(APPS);
    const { result } = await request("tools/call", { name: "use_tool", arguments: used });
    expect(result).toMatchObject({
      content: [{ uri: "ui://dev.map/map" }],
      _meta: { "openai/outputTemplate": "ui://dev.map/map" },
    });
    const tools = new Map((await list(request, "tools")).map((one) => [one.name, one]));
    expect(tools.get("dev__map__show_map")?._meta).toMatchObject({
      "openai/outputTemplate": "ui://dev.map/map",
    });
  });

  it("is a server without pages for other clients", async () => {
    const request = await connected({});
    const { result } = await request("tools/call", { name: "use_tool", arguments: used });
    expect(JSON.stringify(result)).not.toMatch(/ui:|openai/);
    expect(JSON.stringify(await list(request, "tools"))).not.toMatch(/show_map|openai/);
  });
});

describe("two servers with the same tools and pages", () => {
  const twin = { toolbox: "dev", server: "twin" };
  const cell: Cell = { mode: "proxy", era: "legacy", transport: "stdio" };

  it("are not confused: a name or a page that both have is refused", async () => {
    const mcpServers = { charts: extended("--apps"), twin: extended("--apps") };
    const toolboxes = { dev: { description: "Tools", mcpServers } };
    const workbench = await inProcessWorkbench(cleanup, { toolboxes });
    const request = await inProcessClient(cleanup, workbench, cell, twin, APPS);
    const read = (uri: string) => request("resources/read", { uri });
    // Both are known, and only one of them runs.
    await search(request, "refresh chart");
    const used = { tool: { ...twin, name: "show_chart" }, arguments: {} };
    await request("tools/call", { name: "use_tool", arguments: used });
    expect(textOrError(await read("ui://charts/bar"))).toMatch(
      "several servers have it. Use ui://dev.charts/charts/bar or ui://dev.twin/charts/bar",
    );
    await request("tools/call", { name: "open_toolbox", arguments: { toolbox: "dev" } });
    expect(textOrError(await called(request, "refresh_chart"))).toMatch(/dev\/charts, dev\/twin/);
    expect(textOrError(await called(request, "dev__twin__refresh_chart"))).toBe("refreshed");
    const bare = await request("resources/read", { uri: "ui://charts/old.html" });
    expect(bare.error).toMatchObject({ code: -32602 });
    const { result } = await request("resources/read", { uri: "ui://dev.twin/charts/old.html" });
    expect(result).toMatchObject({ contents: [{ uri: "ui://dev.twin/charts/old.html" }] });
  });

  it("are hidden from a client that a policy denies them", async () => {
    const mcpServers = {
      charts: { ...extended("--apps"), policy: { default: "deny" } },
      twin: extended("--apps"),
    };
    const toolboxes = { dev: { description: "Tools", mcpServers } };
    const workbench = await inProcessWorkbench(cleanup, { toolboxes });
    const request = await inProcessClient(cleanup, workbench, cell, twin, APPS);
    await request("tools/call", { name: "open_toolbox", arguments: { toolbox: "dev" } });
    expect(textOrError(await called(request, "refresh_chart"))).toBe("refreshed");
    const names = (await list(request, "tools")).map(({ name }) => name);
    expect(names).toContain("dev__twin__show_chart");
    expect(names).not.toContain("dev__charts__show_chart");
    expect(textOrError(await called(request, "dev__charts__refresh_chart"))).toMatch(/nknown tool/);
  });
});
