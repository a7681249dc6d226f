import { existsSync, realpathSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

import { loadConfig } from "../../config/load.ts";
import type { WorkbenchSettings } from "../../config/types.ts";
import { EXIT, workbenchError } from "../../errors.ts";
import { brief } from "../../text/brief.ts";
import { estimateTokens } from "../../text/tokens.ts";
import type { ToolIdentifier } from "../../calls/identifier.ts";
import { isObject } from "../../wire/messages.ts";
import type { Context } from "../command.ts";
import { columns, plural } from "../output/layout.ts";
import type { Output } from "../output/output.ts";
import { safeLine } from "../output/safe-text.ts";
import { connectAll } from "./connect.ts";
import type { LocalClient } from "../../embed/local-client.ts";
import { serversAt } from "./target.ts";
import { workbenchTokens } from "./token-costs.ts";
import { type Use, withWorkbench } from "./with-workbench.ts";

/** `demo`: the workbench at work, with real servers, for people to read. */
export async function demo(context: Context): Promise<number> {
  const folder = await mkdtemp(join(tmpdir(), "mcp-workbench-demo-"));
  try {
    const settings = await demoSettings(context, join(folder, "memory.jsonl"));
    return await withWorkbench(context, settings, (use) => show(context.out, use));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

// --- internal ---

const CONFIG = "examples/demo/workbench-config.json";

/** The program is in `dist`, or in `src/cli` when it runs from its sources. */
async function demoSettings({ env }: Context, memoryFile: string): Promise<WorkbenchSettings> {
  const program = dirname(realpathSync(process.argv[1] ?? "."));
  const roots = [join(program, ".."), join(program, "../..")];
  const root = roots.find((folder) => existsSync(join(folder, CONFIG)));
  const servers = join(root ?? "", "node_modules/@modelcontextprotocol/server-everything");
  if (root === undefined || !existsSync(servers)) {
    const reason = "The demonstration needs the servers that are installed with the repository";
    const hint =
      "Clone it and run 'npm ci'. To try a server of your own: mcp-workbench list -- COMMAND";
    throw workbenchError("USAGE", { reason }, hint);
  }
  return loadConfig({ file: join(root, CONFIG), env: { ...env, DEMO_MEMORY_FILE: memoryFile } });
}

interface DemoCall {
  readonly tool: ToolIdentifier;
  readonly arguments: object;
}

const workspace = "workspace";
const CALLS: readonly DemoCall[] = [
  {
    tool: { toolbox: workspace, server: "filesystem", name: "read_text_file" },
    arguments: { path: "README.md" },
  },
  {
    tool: { toolbox: workspace, server: "memory", name: "create_entities" },
    arguments: {
      entities: [
        { name: "tides", entityType: "project", observations: ["prints when the water is high"] },
      ],
    },
  },
  {
    tool: { toolbox: workspace, server: "memory", name: "search_nodes" },
    arguments: { query: "water" },
  },
  {
    tool: { toolbox: "lab", server: "everything", name: "get-sum" },
    arguments: { a: 20, b: 22 },
  },
];

async function show(out: Output, { workbench, client }: Use): Promise<number> {
  const { bold, cyan, dim } = out.style;
  const title = (text: string): void => out.print(`\n${bold(text)}`);
  const boxes = [...workbench.toolboxes.values()];

  title("1. The toolboxes");
  for (const { name, settings, servers } of boxes)
    out.print(
      `  ${cyan(name)}  ${settings.description} ${dim(`(${[...servers.keys()].join(", ")})`)}`,
    );

  title("2. What an agent sees at the start, before any server runs");
  const atStart = await workbenchTokens(client);
  const { result } = await client.request("tools/list");
  const tools = Array.isArray(result["tools"]) ? result["tools"].filter(isObject) : [];
  out.print(
    `  ${tools.map(({ name }) => cyan(String(name))).join(", ")}  ${dim(plural(atStart, "token"))}`,
  );

  title(`3. The agent opens '${workspace}'`);
  const opened = await openToolbox(client, workspace);
  for (const server of new Set(opened.tools.map((tool) => String(tool["server"])))) {
    const names = opened.tools.filter((tool) => tool["server"] === server);
    const list = names.map((tool) => safeLine(String(tool["name"]))).join(", ");
    out.print(`  ${cyan(server)}  ${brief(list, out.width - 16)}`);
  }
  out.print(dim(`  ${plural(opened.tools.length, "tool")}, ${plural(opened.tokens, "token")}`));

  title("4. It calls tools with use_tool; the last one without opening its toolbox first");
  const calls: { tool: ToolIdentifier; text: string }[] = [];
  for (const { tool, arguments: args } of CALLS) {
    const { result: answer } = await client.callTool(tool, JSON.stringify(args));
    const text = firstText(answer);
    if (answer["isError"] === true)
      throw workbenchError("SERVER_REFUSED", { ...tool, reason: safeLine(text) });
    calls.push({ tool, text });
    const { toolbox, server, name } = tool;
    out.print(`  ${cyan(`${toolbox}/${server}/${name}`)} ${dim(JSON.stringify(args))}`);
    out.print(`    → ${safeLine(brief(text, out.width - 8))}`);
  }

  title("5. Tokens before the first question");
  const { connected } = await connectAll(client, serversAt(workbench, {}), out);
  const all = connected.flatMap(({ connection }) => [...connection.catalogue.tools.values()]);
  const without = all.reduce((sum, tool) => sum + estimateTokens(tool.text), 0);
  out.print(
    columns(
      [
        ["without the workbench", `all ${plural(all.length, "tool")}`, plural(without, "token")],
        ["with the workbench", plural(tools.length, "tool"), plural(atStart, "token")],
        ["", `and '${workspace}' once it is open`, plural(atStart + opened.tokens, "token")],
      ],
      "  ",
    ),
  );
  out.print("\nThat was it: all servers are being ended. Your own servers: mcp-workbench init");
  out.document({
    toolboxes: boxes.map(({ name, servers }) => ({
      name,
      servers: [...servers.keys()],
      tools: connected
        .filter(({ server }) => server.settings.toolbox === name)
        .reduce((sum, { connection }) => sum + connection.catalogue.tools.size, 0),
    })),
    calls,
    tokens: { without, with: atStart },
  });
  return EXIT.ok;
}

async function openToolbox(client: LocalClient, toolbox: string) {
  const { result } = await client.request("tools/call", {
    name: "open_toolbox",
    arguments: { toolbox },
  });
  const text = firstText(result);
  const answer: unknown = JSON.parse(text);
  const tools = isObject(answer) && Array.isArray(answer["tools"]) ? answer["tools"] : [];
  return { tools: tools.filter(isObject), tokens: estimateTokens(text) };
}

function firstText(result: { readonly [key: string]: unknown }): string {
  const content = Array.isArray(result["content"]) ? result["content"] : [];
  const block: unknown = content[0];
  return isObject(block) && typeof block["text"] === "string" ? block["text"] : "";
}
