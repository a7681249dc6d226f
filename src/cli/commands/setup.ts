import type { Command, Option } from "../core/command.ts";
import { CONFIG } from "../core/common-options.ts";
import { ADD, REGISTRY, SECRETS, TOOLBOX, YES } from "./add.ts";
import { CHANGES, CHANGE_COMMANDS, DRY_RUN } from "./change.ts";
import { SECRET } from "./secret.ts";

const FROM: Option = {
  name: "from",
  value: "CLIENT|FILE",
  multiple: true,
  summary: "Import only from this client, or from any file with MCP servers",
  completes: "client",
};
const KEEP_SECRETS: Option = { name: "keep-secrets", summary: "The same as --secrets keep" };
const PROJECT: Option = {
  name: "project",
  summary:
    "Use the client's file in the current folder instead of the user's; links that lead out of the folder are refused",
};
const NO_SHARED: Option = {
  name: "no-shared",
  summary:
    "Give the client servers of its own; by default, all clients of a configuration share them (serve --shared)",
};
/** Commands that set the workbench up. */
export const SETUP_COMMANDS: readonly Command[] = [
  {
    name: "init",
    summary: "Set up the workbench from the servers your clients already use",
    usage: ["init [--from CLIENT|FILE]…"],
    details:
      "Finds the MCP servers configured in the clients on this machine, proposes toolboxes that you can change, connects to each server, shows what the tools cost in tokens with and without the workbench, writes the configuration and offers to install the workbench into the clients. There it removes the entries of servers that connected; all others stay, and each is listed with the command that comes next. Literal secrets move to secrets.env next to the configuration, which only you can read, unless --secrets names another place. If there is nothing to import, it writes a commented starter configuration. Without a terminal it asks nothing and installs only into the clients given with --install. Servers of the project in the current folder, such as those in .mcp.json, are listed but neither started nor imported unless --from names the file or you confirm them in a terminal.",
    takes: [0, 0],
    options: [
      CONFIG,
      { name: "here", summary: "Write workbench-config.json into the current folder" },
      FROM,
      { ...TOOLBOX, summary: "Put all servers into one toolbox with this name" },
      { name: "no-connect", summary: "Do not connect to the servers" },
      {
        name: "timeout",
        value: "SECONDS",
        summary: "Time limit for each server, if shorter than that of the configuration",
      },
      SECRETS,
      KEEP_SECRETS,
      {
        name: "install",
        value: "CLIENT",
        multiple: true,
        summary: "Also install into this client; 'all' for every client found",
        completes: "client",
      },
      {
        name: "replace",
        summary:
          "Remove the entries of working servers from the clients (the default) without asking first",
      },
      { name: "no-replace", summary: "Leave all entries in the clients" },
      NO_SHARED,
      { name: "strict", summary: "Exit with code 4 if a server needs you" },
      {
        name: "force",
        summary:
          "Run again with an existing configuration: its servers stay, new ones are added, and a backup is kept",
      },
      YES,
      DRY_RUN,
    ],
    examples: [
      { command: "init", explanation: "Find servers, ask, write, install" },
      { command: "init --dry-run", explanation: "Preview what it would do" },
      { command: "init --from cursor --yes", explanation: "Import from Cursor without questions" },
      {
        command: "init --yes --install all",
        explanation: "Move every client to the workbench",
      },
    ],
    json: [
      ["found", "files with servers: `client`, `file`, `scope`, `servers` (names), `problem`"],
      [
        "toolboxes",
        "`name`, `description`, `servers` (`name`, `from`, `tools`, `tokens`, `error`, `lastOutput`)",
      ],
      ["skipped", "servers left out: `client`, `file`, `name`, `reason`"],
      ["secrets", "literal secrets that were moved: `variable`, `uses`, `place`"],
      [
        "tokens",
        "`before`, `after`, and of how many `servers` the tools were `counted`; null if nothing was connected",
      ],
      ["config", "`file`, `written`, `text` (with --dry-run)"],
      ["working", "servers that work behind the workbench: `toolbox`, `server`, `tools`"],
      [
        "needsUser",
        "servers that do not: `toolbox`, `server`, `reason`, `command` (what to do next)",
      ],
      ["installed", "as for `install`"],
    ],
    load: async () => (await import("./setup-bundle.ts")).init,
  },
  {
    name: "import",
    summary: "Add servers from clients to an existing configuration",
    usage: ["import [--from CLIENT|FILE]… [--toolbox NAME]"],
    details:
      "Adds the servers that the configuration does not have yet. Comments and formatting are kept, and a backup is made. Servers of the project in the current folder are skipped unless --from names their file or you confirm them in a terminal.",
    takes: [0, 0],
    options: [CONFIG, FROM, TOOLBOX, SECRETS, KEEP_SECRETS, YES, DRY_RUN],
    examples: [
      { command: "import", explanation: "Import new servers from all clients" },
      {
        command: "import --from ./.mcp.json --toolbox dev",
        explanation: "Import the servers of one file",
      },
    ],
    json: [
      ...CHANGES,
      ["added", "`toolbox` and `name` of each server"],
      ["skipped", "servers left out: `client`, `file`, `name`, `reason`"],
      ["secrets", "literal secrets that were moved: `variable`, `uses`, `place`"],
    ],
    load: async () => (await import("./setup-bundle.ts")).importServers,
  },
  ADD,
  REGISTRY,
  {
    name: "remove",
    summary: "Remove a server or a toolbox from the configuration",
    usage: ["remove [TOOLBOX/]SERVER", "remove --toolbox TOOLBOX"],
    details: "A toolbox that loses its last server is removed, too.",
    takes: [0, 1],
    completes: "server",
    options: [
      CONFIG,
      { ...TOOLBOX, summary: "Toolbox of the server; without a server, remove the whole toolbox" },
      YES,
      DRY_RUN,
    ],
    examples: [{ command: "remove dev/github", explanation: "One server" }],
    json: [...CHANGES, ["toolbox", "where"], ["server", "what was removed; null for the toolbox"]],
    load: async () => (await import("./setup-bundle.ts")).remove,
  },
  ...CHANGE_COMMANDS,
  {
    name: "install",
    summary: "Add the workbench to a client's configuration",
    usage: [
      "install CLIENT… [--toolbox NAME]… [--name NAME]",
      "install CLIENT… --url URL [--token-env NAME]",
      "install --all",
    ],
    details:
      "Uses the client's own command-line tool if it has one, and edits its file otherwise. Comments are kept, a backup is made, and `undo` and `uninstall` restore the original byte for byte. Clients that load tools only on demand are configured to keep those of the workbench loaded, but not those of one server (--server). An existing entry for the workbench is updated; with --name, entries for different toolboxes can be side by side. With --url, the client connects to a workbench that is served over HTTP; its file refers to the variable with the token and never contains the token.",
    takes: [0, Number.MAX_SAFE_INTEGER],
    completes: "client",
    options: [
      CONFIG,
      { name: "all", summary: "Every client found on this machine" },
      {
        name: "toolbox",
        value: "NAME",
        multiple: true,
        summary: "Show the client only this toolbox; may be given several times",
        completes: "toolbox",
      },
      {
        name: "server",
        value: "TOOLBOX/SERVER",
        summary: "Show the client one server as if it were connected to it directly",
        completes: "server",
      },
      {
        name: "name",
        value: "NAME",
        summary: "Name of the entry in the client's file (default workbench)",
      },
      {
        name: "url",
        value: "URL",
        summary: "Connect to a workbench served over HTTP, such as http://127.0.0.1:7333/mcp",
      },
      {
        name: "token-env",
        value: "NAME",
        summary: "With --url: the environment variable of the client that contains the token",
      },
      PROJECT,
      {
        name: "approvals",
        summary:
          "Claude Code only: add a hook, so that its own dialog shows the tool behind use_tool and follows the policy",
      },
      {
        name: "replace",
        summary:
          "Remove the client's own entries for servers that the workbench provides and that connect",
      },
      {
        name: "by-file",
        summary: "Edit the file even if the client has its own command-line tool",
      },
      NO_SHARED,
      YES,
      DRY_RUN,
    ],
    examples: [
      { command: "install claude-code", explanation: "For your user, in every folder" },
      {
        command: "install claude-code --approvals",
        explanation: "Let its dialog show the tool behind use_tool",
      },
      {
        command: "install cursor --project --dry-run",
        explanation: "Preview the change to this project",
      },
      {
        command: "install cursor --toolbox dev --toolbox docs",
        explanation: "Show Cursor two toolboxes",
      },
      {
        command: "install codex --url http://127.0.0.1:7333/mcp --token-env WORKBENCH_TOKEN",
        explanation: "Use a running workbench",
      },
    ],
    json: [
      [
        "clients",
        "one for each: `client`, `file`, `name` (of the entry), `changed`, `diff`, `backup`, `via` (`file` or `program`), `removed` (names), `kept` (`name`, `reason`), `notes`, `hook` (with --approvals: `file`, `changed`, `diff`, `backup`), `error`",
      ],
    ],
    load: async () => (await import("./setup-bundle.ts")).install,
  },
  {
    name: "uninstall",
    summary: "Remove the workbench from a client's configuration",
    usage: ["uninstall CLIENT… [--name NAME]", "uninstall --all"],
    details:
      "Restores the entries that `install --replace` removed. A file that has not been edited since is restored byte for byte.",
    takes: [0, Number.MAX_SAFE_INTEGER],
    completes: "client",
    options: [
      { name: "all", summary: "Every client that the workbench is installed in" },
      { name: "name", value: "NAME", summary: "Remove only the entry with this name" },
      PROJECT,
      YES,
      DRY_RUN,
    ],
    examples: [
      { command: "uninstall claude-code", explanation: "Restore the client's configuration" },
    ],
    json: [
      ["clients", "one for each: `client`, `file`, `changed`, `exact`, `diff`, `backup`, `error`"],
    ],
    load: async () => (await import("./setup-bundle.ts")).uninstall,
  },
  {
    name: "undo",
    summary: "Undo the last change to a configuration or client",
    usage: ["undo"],
    details:
      "Covers every change to a configuration and every installation, most recent first. Secrets that init or import stored are removed again.",
    takes: [0, 0],
    options: [YES, DRY_RUN],
    examples: [{ command: "undo --dry-run", explanation: "Preview what would be undone" }],
    json: [...CHANGES, ["undone", "what was undone, in words"]],
    load: async () => (await import("./setup-bundle.ts")).undo,
  },
  SECRET,
];
