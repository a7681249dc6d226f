/** The packages of the starter configuration. A test compares them with the ones we test against. */
export const STARTER_FILESYSTEM = "@modelcontextprotocol/server-filesystem@2026.8.31";
export const STARTER_MEMORY = "@modelcontextprotocol/server-memory@2026.8.31";

/** A first configuration for somebody who has no servers yet: it works, and it explains itself. */
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
        // A program that is started when it is first used. The last argument is the folder it may
        // work in; add more, or choose another.
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

        // A server on the network. \${NAME} is a variable of the environment: secrets stay there.
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
