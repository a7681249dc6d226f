/**
 * The client that the suite runs: a workbench with the suite's server as its only one, and in front
 * of it a small MCP client that does what the scenario needs.
 *
 *   client-driver.mjs legacy|modern URL        the era is that of the client in front
 */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createHash } from "node:crypto";
import { fileURLToPath } from "node:url";
import { isDeepStrictEqual } from "node:util";
import { parse } from "yaml";
import { StdioClient } from "./stdio-client.mjs";
import { argumentsFor } from "./user.mjs";

const WORKBENCH = fileURLToPath(new URL("../../dist/bin.cjs", import.meta.url));
const TOOLBOX = "suite";
const SERVER = "server";

/** What each scenario needs beyond opening the toolbox and calling every tool in it. */
const actions = {
  // The server has no tools here; the test is about the handshake.
  initialize: ({ openToolbox }) => openToolbox(),
  "request-metadata": ({ openToolbox }) => openToolbox(),
  // The server offers a tool that it cannot run; the test is about the list.
  "json-schema-ref-no-deref": ({ openToolbox }) => openToolbox(),

  // A call that waits for the user, and another call in the meantime.
  "sep-2322-client-request-state": async ({ openToolbox, useTool }) => {
    const tools = await openToolbox();
    await Promise.all(tools.map(({ name }) => useTool(name, {})));
  },

  "http-standard-headers": async ({ client, callEveryTool }) => {
    await callEveryTool();
    const { resources } = await client.request("resources/list", {});
    for (const { uri } of resources) await client.request("resources/read", { uri });
    const { prompts } = await client.request("prompts/list", {});
    for (const { name } of prompts) await client.request("prompts/get", { name });
  },

  // Skills: what a host does with them.
  "sep-2640-client-no-prefetch": ({ listSkills }) => listSkills(),
  "sep-2640-client-verify-digest": loadSkill,
  "sep-2640-client-verify-size": loadSkill,
  "sep-2640-client-verify-frontmatter": loadSkill,

  "http-custom-headers": async ({ openToolbox, useTool, context }) => {
    await openToolbox();
    for (const { name, arguments: args } of context.toolCalls) await useTool(name, args);
  },

  "json-schema-2020-12-preservation": async ({ openToolbox, useTool }) => {
    const tools = await openToolbox();
    const { inputSchema } = tools.find(({ name }) => name === "json_schema_2020_12_tool");
    await useTool("json_schema_echo", { schema: inputSchema });
  },
};

/** Reads a skill as a host does: nothing more after a file that is not what the list says. */
async function loadSkill({ client, listSkills }) {
  for (const { frontmatter, resources } of await listSkills())
    for (const { uri, digest, size } of resources) {
      const { contents } = await client.request("resources/read", { uri });
      const [{ text }] = contents;
      const sum = `sha256:${createHash("sha256").update(text).digest("hex")}`;
      if (sum !== digest || Buffer.byteLength(text) !== size) return;
      const own = uri.endsWith("/SKILL.md") ? parse(text.split("---\n")[1]) : frontmatter;
      if (!isDeepStrictEqual(own, frontmatter)) return;
    }
}

function capabilitiesOf(client) {
  const openToolbox = async () => {
    const result = await client.callTool("open_toolbox", { toolbox: TOOLBOX });
    return JSON.parse(result.content[0].text).tools;
  };
  const useTool = (name, args) =>
    client.callTool("use_tool", {
      tool: { toolbox: TOOLBOX, server: SERVER, name },
      arguments: args,
    });
  const callEveryTool = async () => {
    const tools = await openToolbox();
    for (const { name, inputSchema } of tools) await useTool(name, argumentsFor(inputSchema));
  };
  /** The skills of the suite's server, without those of the workbench. */
  const listSkills = async () => {
    await openToolbox();
    const { skills } = await client.request("skills/list", {});
    return skills.filter(({ uri }) => uri.startsWith(`skill://${TOOLBOX}.${SERVER}/`));
  };
  return { client, openToolbox, useTool, callEveryTool, listSkills };
}

/**
 * A workbench tries the era of its client first, and the suite's modern servers reject that; so for
 * a legacy client the configuration states their era.
 */
function protocolOf(era) {
  const protocol = process.env.MCP_CONFORMANCE_PROTOCOL_VERSION;
  return era === "legacy" && protocol === "2026-07-28" ? { protocol } : {};
}

async function withWorkbench(era, url, use) {
  const directory = await mkdtemp(join(tmpdir(), "mcp-conformance-client-"));
  const config = join(directory, "workbench-config.json");
  const mcpServers = { [SERVER]: { type: "http", url, ...protocolOf(era) } };
  const toolboxes = { [TOOLBOX]: { description: "The suite's server", mcpServers } };
  await writeFile(config, JSON.stringify({ toolboxes }));
  const env = { ...process.env, XDG_STATE_HOME: directory, XDG_CACHE_HOME: directory };
  const client = new StdioClient([WORKBENCH, "serve", "--config", config], era, env);
  try {
    await client.connect();
    await use(client);
  } finally {
    await client.close();
    await rm(directory, { recursive: true, force: true });
  }
}

const [era, url] = process.argv.slice(2);
const context = JSON.parse(process.env.MCP_CONFORMANCE_CONTEXT ?? "{}");
const action = actions[process.env.MCP_CONFORMANCE_SCENARIO];
await withWorkbench(era, url, async (client) => {
  const able = capabilitiesOf(client);
  await (action ? action({ ...able, context }) : able.callEveryTool());
});
