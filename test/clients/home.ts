import { chmod, mkdir, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";

import { newFolder } from "../support/new-folder.ts";
import { userFiles } from "../../src/clients/paths.ts";
import type { HostInfo } from "../../src/clients/paths.ts";
import { requireClient } from "../../src/clients/table.ts";
import type { Disposables } from "../support/disposables.ts";

/* A home folder as in real life: every client, every way of writing its file. */

export const rowOf = requireClient;

const crlf = (text: string): string => text.replaceAll("\n", "\r\n");
const tabs = (text: string): string =>
  text.replaceAll(/^(?: {2})+/gm, (s) => "\t".repeat(s.length / 2));

/** Made up. */
export const TOKEN = `ghp_${"a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"}`;

const GITHUB = `{
      "command": "npx",
      "args": ["-y", "@modelcontextprotocol/server-github"],
      "env": { "GITHUB_PERSONAL_ACCESS_TOKEN": "${TOKEN}" }
    }`;

export const SAMPLES: Readonly<Record<string, string>> = {
  "claude-code": `{
  "numStartups": 42,
  "tipsHistory": { "new-user-warmup": 3 },
  "mcpServers": {
    "github": ${GITHUB},
    "docs": { "type": "http", "url": "https://docs.example.com/mcp" }
  },
  "projects": {
    "/home/ada/shop": {
      "allowedTools": [],
      "mcpServers": {
        "db": { "type": "stdio", "command": "uvx", "args": ["postgres-mcp", "postgres://shop:s3cr3t@localhost/shop"], "env": {} }
      },
      "hasTrustDialogAccepted": true
    },
    "/home/ada/blog": { "mcpServers": {} },
    "/home/ada/notes": { "allowedTools": ["x"] }
  },
  "oauthAccount": { "emailAddress": "ada@example.com" }
}`,
  "claude-desktop": crlf(`{
    "globalShortcut": "Ctrl+Space",
    "mcpServers": {
        "filesystem": {
            "command": "npx",
            "args": ["-y", "@modelcontextprotocol/server-filesystem", "/home/ada/\${literal}"]
        }
    }
}
`),
  cursor: `// Cursor reads comments
{
  "mcpServers": {
    "github": ${GITHUB}, // the same as elsewhere
    "sentry": {
      "url": "https://mcp.sentry.dev/mcp",
      "headers": { "Authorization": "Bearer \${env:SENTRY_TOKEN}" },
    },
  },
}
`,
  vscode: tabs(`{
  // asked for once
  "inputs": [
    { "type": "promptString", "id": "linear-key", "password": true },
  ],
  "servers": {
    "linear": {
      "type": "http",
      "url": "https://mcp.linear.app/mcp",
      "headers": { "Authorization": "Bearer \${input:linear-key}" }
    },
    "local": { "command": "node", "args": ["\${workspaceFolder}/server.js"] } /* ours */
  }
}
`),
  "copilot-cli": `{"mcpServers":{"playwright":{"type":"local","command":"npx","args":["@playwright/mcp@latest"],"tools":["*"]}}}`,
  windsurf: `\uFEFF{
  "mcpServers": {
    "figma": { "serverUrl": "https://mcp.figma.com/mcp", "disabled": true }
  }
}
`,
  zed: `// Zed settings
//
// For information on how to configure Zed, see the documentation.
{
  "theme": "One Dark",
  "context_servers": {
    // added by an extension
    "postgres-context-server": { "enabled": true, "settings": { "database_url": "x" } },
    "brave": {
      "source": "custom",
      "command": "npx",
      "args": ["-y", "brave-search-mcp"],
      "env": { "BRAVE_API_KEY": "BSA0000000000000000000000001" },
    },
  },
  "vim_mode": true, // yes
}
`,
  codex: `model = "gpt-9" # default
approval_policy = "on-request"

[mcp_servers.github] # work account
command = "docker"
args = [
  "run", "-i", "--rm", # container
  "ghcr.io/github/github-mcp-server",
]
env_vars = ["GITHUB_TOKEN"]

[mcp_servers.github.env]
LOG = "debug"

# remote
[mcp_servers.linear]
url = "https://mcp.linear.app/mcp"
bearer_token_env_var = "LINEAR_API_KEY"

[projects."/home/ada/shop"]
trust_level = "trusted"
`,
  "gemini-cli": `{
  "ui": { "theme": "GitHub" },
  "mcpServers": {
    "maps": { "httpUrl": "https://maps.example.com/mcp", "headers": { "X-Api-Key": "$MAPS_KEY" }, "timeout": 5000 }
  }
}`,
  "qwen-code": `{
  "$version": 4,
  "mcpServers": {
    "search": { "httpUrl": "https://search.example.com/mcp", "headers": { "X-Api-Key": "\${SEARCH_KEY}" } } // by hand
  }
}`,
  opencode: `{
  "$schema": "https://opencode.ai/config.json",
  "mcp": {
    "context7": {
      "type": "local",
      "command": ["npx", "-y", "@upstash/context7-mcp"],
      "environment": { "KEY": "{env:CONTEXT7_KEY}" },
      "enabled": true,
    },
  },
}
`,
  cline: `{
  "mcpServers": {}
}`,
  "roo-code": `{ }`,
  kiro: "",
  antigravity: `{
  "mcpServers": {
    "gdrive": { "serverUrl": "https://drive.example.com/mcp" }
  }
}
`,
  goose: `GOOSE_PROVIDER: anthropic # hosted
extensions:
  developer:
    bundled: true
    enabled: true
    name: developer
    type: builtin
  fetch:
    args:
    - mcp-server-fetch
    cmd: uvx
    enabled: true
    env_keys: []
    envs: {PROXY: 'http://localhost:1'}
    name: fetch
    timeout: 300
    type: stdio
GOOSE_MODEL: claude
`,
  "amazon-q": `{"mcpServers": {"aws-docs": {"command": "uvx", "args": ["awslabs.aws-documentation-mcp-server@latest"]}}}
`,
  continue: `name: My assistant # mine
version: 1.0.0
schema: v1
models:
  - uses: example/model
mcpServers:
  # notes of the team
  - name: Wiki
    type: streamable-http
    url: https://wiki.example.com/mcp
    requestOptions:
      headers:
        Authorization: Bearer \${{ secrets.WIKI_TOKEN }}
  - uses: example/block
  - name: sqlite
    command: npx
    args:
      - -y
      - "mcp-sqlite"
    env: {MODE: ro} # read only
prompts: []
`,
};

export const PROJECT_SAMPLES: Readonly<Record<string, string>> = {
  ".mcp.json": `{
  "mcpServers": {
    "memory": { "command": "npx", "args": ["-y", "@modelcontextprotocol/server-memory"] }
  }
}
`,
  ".vscode/mcp.json": `{ "servers": { "here": { "command": "node", "args": ["\${workspaceFolder}/x.js"] } } }\n`,
};

export interface Home {
  readonly host: HostInfo;
  readonly project: string;
  readonly stateDir: string;
  readonly fileOf: (id: string) => string;
  /** Every file below the home folder, with content and permission bits, except our own state. */
  readonly snapshot: () => Promise<ReadonlyMap<string, string>>;
}

/** Writes all samples into a new home folder. */
export async function makeHome(disposables: Disposables): Promise<Home> {
  const home = newFolder("workbench-home");
  disposables.defer(() => rm(home, { recursive: true, force: true }));
  const host: HostInfo = { platform: "linux", env: { HOME: home, PATH: "" }, home };
  const fileOf = (id: string): string => userFiles(rowOf(id), host)[0] ?? "";
  const project = join(home, "src", "app");
  const write = async (file: string, text: string): Promise<void> => {
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, text);
  };
  for (const [id, text] of Object.entries(SAMPLES)) await write(fileOf(id), text);
  for (const [name, text] of Object.entries(PROJECT_SAMPLES))
    await write(join(project, name), text);
  await chmod(fileOf("claude-code"), 0o600);
  await mkdir(join(home, ".claude"));
  const stateDir = join(home, ".local", "state", "mcp-workbench");
  const snapshot = async (): Promise<ReadonlyMap<string, string>> => {
    const found = new Map<string, string>();
    for (const entry of await readdir(home, { recursive: true, withFileTypes: true })) {
      const path = join(entry.parentPath, entry.name);
      if (path.startsWith(join(home, ".local"))) continue;
      const { mode } = await stat(path);
      const content = entry.isFile() ? await readFile(path, "utf8") : "a folder";
      found.set(path, `${(mode & 0o777).toString(8)} ${content}`);
    }
    return found;
  };
  return { host, project, stateDir, fileOf, snapshot };
}
