import { EXIT, workbenchError } from "../../errors.ts";
import { truncate } from "../../text/truncate.ts";
import { estimateTokens } from "../../text/estimate-tokens.ts";
import type { ToolIdentifier } from "../../calls/identifier.ts";
import { isObject } from "../../wire/messages.ts";
import type { Context } from "../core/command.ts";
import { columns, plural } from "../output/layout.ts";
import type { Output } from "../output/output.ts";
import { safeLine } from "../../text/safe-text.ts";
import { connectAll } from "./connect.ts";
import { CALLS, WORKSPACE, firstText, openToolbox } from "./demo-agent.ts";
import { withDemoSettings } from "./demo-settings.ts";
import { serversAt } from "./target.ts";
import { workbenchTokens } from "./workbench-tokens.ts";
import { type Use, withWorkbench } from "./with-workbench.ts";

/** `demo`: a guided tour of the workbench with real servers. */
export async function demo(context: Context): Promise<number> {
  return withDemoSettings(context, (settings) =>
    withWorkbench(context, settings, (use) => show(context.out, use)),
  );
}

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

  title(`3. The agent opens '${WORKSPACE}'`);
  const opened = await openToolbox(client, WORKSPACE);
  for (const server of new Set(opened.tools.map((tool) => String(tool["server"])))) {
    const names = opened.tools.filter((tool) => tool["server"] === server);
    const list = names.map((tool) => safeLine(String(tool["name"]))).join(", ");
    out.print(`  ${cyan(server)}  ${truncate(list, out.width - 16)}`);
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
    out.print(`    → ${safeLine(truncate(text, out.width - 8))}`);
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
        ["", `and '${WORKSPACE}' once it is open`, plural(atStart + opened.tokens, "token")],
      ],
      "  ",
      out.tableWidth,
    ),
  );
  out.print(
    "\nThat was the tour; all servers are stopped. Set up your own with: mcp-workbench init",
  );
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
