import type { Command, Option } from "./command.ts";
import { CONFIG, ENV, HEADER } from "./common-options.ts";
import { TRUST } from "./commands-trust.ts";

const DRY_RUN: Option = {
  name: "dry-run",
  summary: "Show what would change; change nothing and start nothing",
};
const YES: Option = { name: "yes", short: "y", summary: "Ask nothing; take what is proposed" };
const FROM: Option = {
  name: "from",
  value: "CLIENT|FILE",
  multiple: true,
  summary: "Look only there: a client by name, or any file with MCP servers",
  completes: "client",
};
const KEEP_SECRETS: Option = {
  name: "keep-secrets",
  summary: "Copy literal secrets into the configuration instead of referring to variables",
};
const TOOLBOX: Option = {
  name: "toolbox",
  value: "NAME",
  summary: "The toolbox; it is created if there is none of that name",
  completes: "toolbox",
};
const PROJECT: Option = {
  name: "project",
  summary:
    "The client's file in the current folder instead of the user's; links out of it are refused",
};
const CHANGES = [
  ["file", "the file that was changed, or would be"],
  ["changed", "whether it was changed"],
  ["diff", "what changes, secrets masked"],
  ["backup", "the copy made before, or null"],
] as const;

/** Commands that set the workbench up. */
export const SETUP_COMMANDS: readonly Command[] = [
  {
    name: "init",
    summary: "Set everything up from the servers your clients already have",
    usage: ["init [--from CLIENT|FILE]…"],
    details:
      "Finds the MCP servers configured in the clients on this machine, proposes toolboxes, connects to each server, shows what the tools cost in tokens with and without the workbench, writes the configuration and offers to install the workbench into the clients. Literal secrets become references to variables unless you say otherwise. With nothing to import it writes a commented starter configuration. Without a terminal it asks nothing and installs only where --install says. Servers of the project in the current folder, such as those of .mcp.json, are listed but neither started nor imported, unless --from names the file or you confirm them in a terminal.",
    takes: [0, 0],
    options: [
      CONFIG,
      { name: "here", summary: "Write workbench-config.json into the current folder" },
      FROM,
      { ...TOOLBOX, summary: "Put everything into one toolbox of this name" },
      { name: "no-connect", summary: "Do not start the servers to see their tools" },
      { name: "timeout", value: "SECONDS", summary: "How long each server may take (default 20)" },
      KEEP_SECRETS,
      {
        name: "install",
        value: "CLIENT",
        multiple: true,
        summary: "Install into this client afterwards; 'all' for every one found",
        completes: "client",
      },
      { name: "replace", summary: "When installing, take out the entries that were imported" },
      { name: "force", summary: "Replace a configuration that exists; a backup is kept" },
      YES,
      DRY_RUN,
    ],
    examples: [
      { command: "init", explanation: "Look around, ask, write, install" },
      { command: "init --dry-run", explanation: "See what it would do" },
      { command: "init --from cursor --yes", explanation: "Import from Cursor without questions" },
      {
        command: "init --yes --install all --replace",
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
      ["secrets", "secrets that became variables: `variable`, `uses`"],
      ["tokens", "`before` and `after`, or null if nothing was connected"],
      ["config", "`file`, `written`, `text` (with --dry-run)"],
      ["installed", "as for `install`"],
    ],
    load: async () => (await import("./setup.ts")).init,
  },
  {
    name: "import",
    summary: "Add servers from clients to an existing configuration",
    usage: ["import [--from CLIENT|FILE]… [--toolbox NAME]"],
    details:
      "Adds the servers that the configuration does not have yet. Comments and layout of the file stay as they are; a backup is kept. Servers of the project in the current folder are left out unless --from names their file or you confirm them in a terminal.",
    takes: [0, 0],
    options: [CONFIG, FROM, TOOLBOX, KEEP_SECRETS, YES, DRY_RUN],
    examples: [
      { command: "import", explanation: "Whatever is new in any client" },
      {
        command: "import --from ./.mcp.json --toolbox dev",
        explanation: "The servers of one file",
      },
    ],
    json: [
      ...CHANGES,
      ["added", "`toolbox` and `name` of each server"],
      ["skipped", "servers left out: `client`, `file`, `name`, `reason`"],
      ["secrets", "secrets that became variables: `variable`, `uses`"],
    ],
    load: async () => (await import("./setup.ts")).importServers,
  },
  {
    name: "add",
    summary: "Add a server to the configuration",
    usage: ["add NAME [--toolbox T] [--env K=V]… -- COMMAND [ARGS]…", "add NAME URL [--header H]…"],
    details:
      "Creates the configuration and the toolbox if there is none. `--env NAME` without a value hands on the variable of that name.",
    takes: [1, 2],
    passes: true,
    options: [
      CONFIG,
      TOOLBOX,
      {
        name: "description",
        value: "TEXT",
        summary: "What a new toolbox is for; the agent chooses by it",
      },
      ENV,
      HEADER,
      { name: "cwd", value: "FOLDER", summary: "Where to start the command", completes: "folder" },
      {
        name: "transport",
        value: "http|sse",
        summary: "How to speak to a URL; found out if not given",
        completes: ["http", "sse"],
      },
      { name: "force", summary: "Replace a server of the same name" },
      DRY_RUN,
    ],
    examples: [
      {
        command: "add files --toolbox dev -- npx -y @modelcontextprotocol/server-filesystem ~/src",
        explanation: "A program",
      },
      {
        command:
          "add github https://example.com/mcp --header 'Authorization: Bearer ${GITHUB_TOKEN}'",
        explanation: "A remote server",
      },
    ],
    json: [...CHANGES, ["toolbox", "where it was added"], ["server", "its name"]],
    load: async () => (await import("./setup.ts")).add,
  },
  {
    name: "remove",
    summary: "Remove a server or a toolbox from the configuration",
    usage: ["remove [TOOLBOX/]SERVER", "remove --toolbox TOOLBOX"],
    takes: [0, 1],
    completes: "server",
    options: [
      CONFIG,
      { ...TOOLBOX, summary: "The toolbox of the server; alone: remove the toolbox itself" },
      YES,
      DRY_RUN,
    ],
    examples: [{ command: "remove dev/github", explanation: "One server" }],
    json: [...CHANGES, ["toolbox", "where"], ["server", "what was removed; null for the toolbox"]],
    load: async () => (await import("./setup.ts")).remove,
  },
  {
    name: "install",
    summary: "Put the workbench into a client's configuration",
    usage: ["install CLIENT…", "install --all"],
    details:
      "Uses the client's own program where there is one, else edits its file: comments stay, a backup is kept, `undo` and `uninstall` give the original back byte for byte. Clients that hide tools until they are searched for are told to keep those of the workbench loaded.",
    takes: [0, Number.MAX_SAFE_INTEGER],
    completes: "client",
    options: [
      CONFIG,
      { name: "all", summary: "Every client found on this machine" },
      PROJECT,
      {
        name: "replace",
        summary: "Take out the client's entries that are behind the workbench now",
      },
      { name: "by-file", summary: "Edit the file even if the client has a program for it" },
      YES,
      DRY_RUN,
    ],
    examples: [
      { command: "install claude-code", explanation: "For you, in every folder" },
      {
        command: "install cursor --project --dry-run",
        explanation: "See the change to this project",
      },
    ],
    json: [
      [
        "clients",
        "one for each: `client`, `file`, `changed`, `diff`, `backup`, `via` (`file` or `program`), `removed` (names), `kept` (`name`, `reason`), `notes`, `error`",
      ],
    ],
    load: async () => (await import("./setup.ts")).install,
  },
  {
    name: "uninstall",
    summary: "Take the workbench out of a client's configuration",
    usage: ["uninstall CLIENT…", "uninstall --all"],
    details:
      "Entries that were taken out to make room are put back. A file that nobody changed since becomes byte for byte what it was.",
    takes: [0, Number.MAX_SAFE_INTEGER],
    completes: "client",
    options: [
      { name: "all", summary: "Every client that the workbench is installed in" },
      PROJECT,
      YES,
      DRY_RUN,
    ],
    examples: [{ command: "uninstall claude-code", explanation: "As if it had never been there" }],
    json: [
      ["clients", "one for each: `client`, `file`, `changed`, `exact`, `diff`, `backup`, `error`"],
    ],
    load: async () => (await import("./setup.ts")).uninstall,
  },
  {
    name: "undo",
    summary: "Take back the last change to a configuration or client",
    usage: ["undo"],
    details: "Works for init, import, add, remove and install, the last one first.",
    takes: [0, 0],
    options: [YES, DRY_RUN],
    examples: [{ command: "undo --dry-run", explanation: "See what would be taken back" }],
    json: [...CHANGES, ["undone", "what was taken back, in words"]],
    load: async () => (await import("./setup.ts")).undo,
  },
  TRUST,
];
