import { workbenchError } from "../errors.ts";
import { nearest } from "../text/nearest.ts";
import type { ClientRow, EntryShape, TokenReference } from "./types.ts";

const COMMON: EntryShape = { command: "command", env: "env", url: "url", headers: ["headers"] };
const TYPED: EntryShape = { ...COMMON, programType: "stdio", remoteType: "http" };
const MCP_SERVERS = [["mcpServers"]];
const BRACES: TokenReference = { reference: "${{name}}" };
const ENV: TokenReference = { reference: "${env:{name}}" };

/** The supported clients, most used first: a server found in several is named after the first. */
export const CLIENTS: readonly ClientRow[] = [
  {
    id: "claude-code",
    label: "Claude Code",
    userFiles: ["{home}/.claude.json"],
    override: "{env:CLAUDE_CONFIG_DIR}/.claude.json",
    projectFiles: [".mcp.json"],
    markers: ["{home}/.claude.json", "{home}/.claude", "{env:CLAUDE_CONFIG_DIR}"],
    format: "json",
    keys: MCP_SERVERS,
    localSection: "projects",
    entry: { ...TYPED, token: BRACES },
    keepLoaded: {
      fields: { alwaysLoad: true },
      source: "vendor's documentation (since 2.1.121); the published program of version 2.1.197",
      date: "2026-11-17",
    },
    variables: "braces",
    // `add-json` takes the whole entry; versions that drop fields they do not know are corrected by
    // an edit of the file afterwards.
    program: {
      binary: "claude",
      add: ["mcp", "add-json", "--scope", "user", "{name}", "{json}"],
      addUrl: ["mcp", "add-json", "--scope", "user", "{name}", "{json}"],
      addToken: [],
      remove: ["mcp", "remove", "--scope", "user", "{name}"],
    },
    hooks: {
      file: "{home}/.claude/settings.json",
      override: "{env:CLAUDE_CONFIG_DIR}/settings.json",
    },
  },
  {
    id: "claude-desktop",
    label: "Claude Desktop",
    // macOS and Windows are documented; Linux builds are not the vendor's own.
    userFiles: ["{appData}/Claude/claude_desktop_config.json"],
    projectFiles: [],
    format: "json",
    keys: MCP_SERVERS,
    // Remote servers are connectors of the account, not entries of the file.
    entry: { ...COMMON, url: undefined },
    variables: "none",
  },
  {
    id: "cursor",
    label: "Cursor",
    userFiles: ["{home}/.cursor/mcp.json"],
    projectFiles: [".cursor/mcp.json"],
    format: "json",
    keys: MCP_SERVERS,
    entry: { ...COMMON, token: ENV },
    variables: "env",
  },
  {
    id: "vscode",
    label: "VS Code",
    userFiles: ["{appData}/Code/User/mcp.json", "{appData}/Code/User/profiles/*/mcp.json"],
    projectFiles: [".vscode/mcp.json"],
    format: "jsonc",
    keys: [["servers"]],
    entry: { ...TYPED, token: ENV },
    variables: "input",
    // `code --add-mcp` is not used: it hands over to a running window and returns before anything
    // is written, and it has no command that removes an entry.
  },
  {
    id: "copilot-cli",
    label: "Copilot CLI",
    userFiles: ["{home}/.copilot/mcp-config.json"],
    override: "{env:COPILOT_HOME}/mcp-config.json",
    projectFiles: [".mcp.json", ".github/mcp.json"],
    format: "json",
    keys: MCP_SERVERS,
    // Without `tools` no tool of the server is enabled. Of its two names for a program type, we use the one
    // that Claude Code understands too, because both read a project's `.mcp.json`.
    entry: {
      ...TYPED,
      fixed: { tools: ["*"] },
      token: { reference: "${{name}}", passedIn: { field: "env", as: "references" } },
    },
    keepLoaded: {
      fields: { deferTools: "never" },
      source: "vendor's documentation, on the page about its tool search",
      date: "2026-11-15",
    },
    variables: "braces",
    binary: "copilot",
  },
  {
    id: "windsurf",
    label: "Windsurf",
    userFiles: ["{home}/.codeium/windsurf/mcp_config.json"],
    projectFiles: [],
    format: "json",
    keys: MCP_SERVERS,
    entry: { ...COMMON, url: "serverUrl", token: ENV },
    variables: "env",
  },
  {
    id: "zed",
    label: "Zed",
    userFiles: {
      darwin: ["{home}/.config/zed/settings.json"],
      win32: ["{appData}/Zed/settings.json"],
      linux: ["{xdg}/zed/settings.json"],
    },
    projectFiles: [".zed/settings.json"],
    format: "jsonc",
    keys: [["context_servers"]],
    // Older versions distinguish their own servers from those of extensions by `source`; newer ones ignore it.
    // It sends headers as they are written, so a token would have to be in the file.
    entry: { ...COMMON, fixed: { source: "custom" } },
    variables: "none",
  },
  {
    id: "codex",
    label: "Codex",
    userFiles: ["{home}/.codex/config.toml"],
    override: "{env:CODEX_HOME}/config.toml",
    projectFiles: [".codex/config.toml"],
    format: "toml",
    keys: [["mcp_servers"]],
    entry: { ...COMMON, headers: ["http_headers"], token: { field: "bearer_token_env_var" } },
    // No switch per server is documented.
    variables: "none",
    program: {
      binary: "codex",
      add: ["mcp", "add", "{name}", "--", "{command}", "{args}"],
      addUrl: ["mcp", "add", "{name}", "--url", "{url}"],
      addToken: ["--bearer-token-env-var", "{variable}"],
      remove: ["mcp", "remove", "{name}"],
    },
  },
  {
    id: "gemini-cli",
    label: "Gemini CLI",
    userFiles: ["{home}/.gemini/settings.json"],
    projectFiles: [".gemini/settings.json"],
    format: "jsonc",
    keys: MCP_SERVERS,
    entry: { ...COMMON, remoteType: "http", token: BRACES },
    variables: "dollar",
    program: {
      binary: "gemini",
      add: ["mcp", "add", "--scope", "user", "{name}", "{command}", "--", "{args}"],
      addUrl: ["mcp", "add", "--scope", "user", "--transport", "http", "{name}", "{url}"],
      addToken: ["--header", "Authorization: {authorization}"],
      remove: ["mcp", "remove", "--scope", "user", "{name}"],
    },
  },
  {
    id: "qwen-code",
    label: "Qwen Code",
    userFiles: ["{home}/.qwen/settings.json"],
    projectFiles: [".qwen/settings.json"],
    format: "jsonc",
    keys: MCP_SERVERS,
    // For it, `url` means HTTP+SSE.
    entry: { ...COMMON, url: "httpUrl", token: BRACES },
    variables: "dollar",
    program: {
      binary: "qwen",
      add: ["mcp", "add", "--scope", "user", "{name}", "{command}", "--", "{args}"],
      addUrl: ["mcp", "add", "--scope", "user", "--transport", "http", "{name}", "{url}"],
      addToken: ["--header", "Authorization: {authorization}"],
      remove: ["mcp", "remove", "--scope", "user", "{name}"],
    },
  },
  {
    id: "opencode",
    label: "OpenCode",
    userFiles: ["{xdg}/opencode/opencode.json", "{xdg}/opencode/opencode.jsonc"],
    override: "{env:OPENCODE_CONFIG}",
    projectFiles: ["opencode.json", "opencode.jsonc"],
    format: "jsonc",
    // Version 2 moved the servers one level down; a file that has them there is edited there.
    keys: [["mcp", "servers"], ["mcp"]],
    entry: {
      ...COMMON,
      commandList: true,
      env: "environment",
      programType: "local",
      remoteType: "remote",
      fixed: { enabled: true },
      // Otherwise it starts an OAuth login when the token is not accepted.
      remoteFixed: { oauth: false },
      token: { reference: "{env:{name}}" },
    },
    variables: "curly",
    binary: "opencode",
  },
  {
    id: "cline",
    label: "Cline",
    userFiles: [
      "{appData}/Code/User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json",
      "{home}/.cline/data/settings/cline_mcp_settings.json",
    ],
    override: "{env:CLINE_MCP_SETTINGS_PATH}",
    projectFiles: [],
    markers: ["{appData}/Code/User/globalStorage/saoudrizwan.claude-dev", "{home}/.cline"],
    format: "json",
    keys: MCP_SERVERS,
    // Its command-line program sends headers as they are written.
    entry: { ...COMMON, programType: "stdio", remoteType: "streamableHttp" },
    variables: "env",
    binary: "cline",
    newFile: {
      path: "{home}/.cline/data/settings/cline_mcp_settings.json",
      unless: "{appData}/Code/User/globalStorage/saoudrizwan.claude-dev",
    },
  },
  {
    id: "roo-code",
    label: "Roo Code",
    userFiles: [
      "{appData}/Code/User/globalStorage/rooveterinaryinc.roo-cline/settings/mcp_settings.json",
    ],
    projectFiles: [".roo/mcp.json"],
    markers: ["{appData}/Code/User/globalStorage/rooveterinaryinc.roo-cline"],
    format: "json",
    keys: MCP_SERVERS,
    entry: { ...COMMON, programType: "stdio", remoteType: "streamable-http", token: ENV },
    variables: "env",
  },
  {
    id: "kiro",
    label: "Kiro",
    userFiles: ["{home}/.kiro/settings/mcp.json"],
    projectFiles: [".kiro/settings/mcp.json"],
    markers: ["{home}/.kiro"],
    format: "json",
    keys: MCP_SERVERS,
    entry: { ...COMMON, token: BRACES },
    // Its tool search is off unless switched on, and then by thresholds, not per server.
    variables: "braces",
  },
  {
    id: "antigravity",
    label: "Antigravity",
    // Since version 2 the application and its command line share one file; the second is the older one.
    userFiles: [
      "{home}/.gemini/config/mcp_config.json",
      "{home}/.gemini/antigravity/mcp_config.json",
    ],
    projectFiles: [],
    format: "json",
    keys: MCP_SERVERS,
    // Version 1.1 of its command line does not expand variables.
    entry: { ...COMMON, url: "serverUrl" },
    variables: "braces",
  },
  {
    id: "goose",
    label: "Goose",
    userFiles: {
      darwin: ["{xdg}/goose/config.yaml"],
      win32: ["{appData}/Block/goose/config/config.yaml"],
      linux: ["{xdg}/goose/config.yaml"],
    },
    projectFiles: [],
    format: "yaml",
    keys: [["extensions"]],
    entry: {
      ...COMMON,
      command: "cmd",
      env: "envs",
      url: "uri",
      programType: "stdio",
      remoteType: "streamable_http",
      fixed: { enabled: true, timeout: 300 },
      named: true,
      token: { reference: "${{name}}", passedIn: { field: "env_keys", as: "names" } },
    },
    variables: "braces",
    binary: "goose",
    foreignTypes: ["builtin", "platform", "frontend", "inline_python"],
  },
  {
    id: "amazon-q",
    label: "Amazon Q",
    // Editors use the second one today, which includes the first by default.
    userFiles: ["{home}/.aws/amazonq/mcp.json", "{home}/.aws/amazonq/agents/default.json"],
    projectFiles: [".amazonq/mcp.json"],
    markers: ["{home}/.aws/amazonq"],
    format: "json",
    keys: MCP_SERVERS,
    entry: { ...COMMON, remoteType: "http", token: ENV },
    variables: "env",
  },
  {
    id: "continue",
    label: "Continue",
    userFiles: [
      "{home}/.continue/config.yaml",
      "{home}/.continue/mcpServers/workbench.yaml",
      "{home}/.continue/mcpServers/*.yaml",
    ],
    override: "{env:CONTINUE_GLOBAL_DIR}/config.yaml",
    projectFiles: [".continue/mcpServers/workbench.yaml", ".continue/mcpServers/*.yaml"],
    markers: ["{home}/.continue", "{env:CONTINUE_GLOBAL_DIR}"],
    format: "yaml",
    keys: MCP_SERVERS,
    isList: true,
    entry: {
      ...COMMON,
      headers: ["requestOptions", "headers"],
      programType: "stdio",
      remoteType: "streamable-http",
      named: true,
      token: { reference: "${{ secrets.{name} }}" },
    },
    variables: "secrets",
    binary: "cn",
    // A new config.yaml would replace the models of an older config.json or of the account.
    newFile: {
      path: "{home}/.continue/mcpServers/workbench.yaml",
      content: { name: "MCP Workbench", version: "1.0.0", schema: "v1" },
    },
  },
];

/** The display name of a client; a file given with `--from` keeps its own name. */
export function clientLabel(id: string): string {
  return CLIENTS.find((client) => client.id === id)?.label ?? id;
}

/** The client with this id, as typed by the user. */
export function requireClient(id: string): ClientRow {
  const row = CLIENTS.find((client) => client.id === id.toLowerCase());
  if (row !== undefined) return row;
  const known = CLIENTS.map((client) => client.id);
  const meant = nearest(id, known);
  const hint = meant === undefined ? `Supported: ${known.join(", ")}` : `Did you mean '${meant}'?`;
  throw workbenchError("CLIENT_UNKNOWN", { client: id }, hint);
}
