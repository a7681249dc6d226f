import { dirname, join } from "node:path";

/** The packages of the starter configuration. A test compares them with the ones we test against. */
export const STARTER_FILESYSTEM = "@modelcontextprotocol/server-filesystem@2026.8.31";
export const STARTER_MEMORY = "@modelcontextprotocol/server-memory@2026.8.31";

/** The folder that a starter configuration exposes, next to it. */
export const starterFolder = (config: string): string => join(dirname(config), "workbench-files");

/** A first configuration for users without servers: it works and explains itself. */
export function starterConfig(folder: string): string {
  return `// Configuration of MCP Workbench. Comments and trailing commas are allowed.
// Check it with 'mcp-workbench doctor', see it with 'mcp-workbench list'.
{
  "toolboxes": {
    // A toolbox is a named group of servers. The agent reads the description and opens the toolbox
    // when it needs it; until then its tools cost nothing.
    "files": {
      "description": "Read, write and search files on this machine",
      "mcpServers": {
        // This program is started on first use. The last argument is the folder that it may
        // work in: a new one, so that nothing of yours is exposed. Add more, or choose another.
        "filesystem": {
          "command": "npx",
          "args": ["-y", "${STARTER_FILESYSTEM}", ${JSON.stringify(folder)}],
        },
      },
    },

    "notes": {
      "description": "Remember facts from one conversation to the next",
      "mcpServers": {
        "memory": { "command": "npx", "args": ["-y", "${STARTER_MEMORY}"] },

        // A remote server. \${NAME} reads an environment variable, so the secret stays out of this file.
        // "remote": {
        //   "url": "https://example.com/mcp",
        //   "headers": { "Authorization": "Bearer \${EXAMPLE_TOKEN}" },
        // },
      },
    },
  },
}
`;
}
