// A program that uses the tools of MCP servers itself, without any client: it opens a toolbox,
// calls two tools, shows what an error looks like, and ends everything it has started.
//
//   npm ci && node examples/embed/main.mjs
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createWorkbench, isWorkbenchError, resolveConfig } from "mcp-workbench";

const require = createRequire(import.meta.url);
const folder = await mkdtemp(join(tmpdir(), "embed-"));

// The same as in a configuration file. With a file it would be: await loadConfig({ file }).
const settings = await resolveConfig({
  toolboxes: {
    dev: {
      description: "The files of this example",
      mcpServers: {
        filesystem: {
          command: process.execPath,
          args: [require.resolve("@modelcontextprotocol/server-filesystem/dist/index.js"), folder],
        },
      },
    },
  },
});

const workbench = createWorkbench(settings);
try {
  const { tools, servers_connected: connected } = await workbench.openToolbox("dev");
  console.log(`Toolbox dev: ${connected} server, ${tools.length} tools`);

  const filesystem = { toolbox: "dev", server: "filesystem" };
  const path = join(folder, "notes.txt");
  await workbench.useTool({ ...filesystem, name: "write_file" }, { path, content: "Buy ink." });
  console.log(`On disk: ${await readFile(path, "utf8")}`);

  const result = await workbench.useTool({ ...filesystem, name: "read_text_file" }, { path });
  console.log(`Read back: ${result.content?.[0]?.text}`);

  await workbench.useTool({ ...filesystem, name: "delete_everything" });
} catch (error) {
  if (!isWorkbenchError(error)) throw error;
  console.log(`${error.code}: ${error.message}`);
} finally {
  await workbench.close();
  await rm(folder, { recursive: true });
}
