import type { Command } from "../core/command.ts";
import { CONFIG, ENV, HEADER } from "../core/common-options.ts";
import { SERVE } from "./serve.ts";

/** Commands that use the workbench. */
export const USE_COMMANDS: readonly Command[] = [
  {
    name: "list",
    summary: "Show toolboxes, servers and tools",
    usage: ["list [TOOLBOX[/SERVER[/TOOL]]]", "list URL [TOOL]", "list [TOOL] -- COMMAND [ARGS]…"],
    details:
      "Without an argument, shows the configuration and starts nothing. The name of a server, or of a tool that is already known, is enough if there is only one. A server can also be given by its URL or command line, without any configuration: try it before you add it.",
    takes: [0, 2],
    passes: true,
    completes: "tool",
    completesNext: [],
    options: [CONFIG, ENV, HEADER],
    examples: [
      { command: "list", explanation: "The toolboxes" },
      { command: "list dev/filesystem", explanation: "The tools of a server" },
      { command: "list dev/filesystem/read_file", explanation: "How to call a tool" },
      { command: "list https://example.com/mcp", explanation: "Try a remote server" },
      {
        command: "list -- npx -y @modelcontextprotocol/server-everything",
        explanation: "Try a program",
      },
    ],
    json: [
      ["config", "without an argument: the file"],
      [
        "toolboxes",
        "without an argument: `name`, `description`, `servers` (`name`, `transport`, `disabled`, `unavailable`)",
      ],
      ["toolbox, description", "for a toolbox or server"],
      ["servers", "for a toolbox or server: `name`, `tools` (as the server defines them)"],
      ["failed", "for a toolbox or server: `server`, `reason`, `lastOutput`"],
      ["name, inputSchema, …", "for a tool: its definition, with `toolbox` and `server`"],
    ],
    load: async () => (await import("./use-bundle.ts")).list,
  },
  {
    name: "call",
    summary: "Call a tool",
    usage: [
      "call [TOOLBOX/SERVER/]TOOL [NAME=VALUE]…",
      "call TOOLBOX/SERVER/TOOL --args JSON|-",
      "call URL TOOL [NAME=VALUE]…",
      "call TOOL [NAME=VALUE]… -- COMMAND [ARGS]…",
    ],
    details:
      "The name of a tool is enough if only one server has it; otherwise the candidates are listed. Values are converted to the types in the tool's schema. Repeat NAME=VALUE to pass a list; write OUTER.INNER=VALUE to set a field of an object. Text is printed as is; images and other files are saved and their paths printed. Elicitation requests of the server are asked in the terminal. Ctrl-C cancels the call.",
    takes: [1, Number.MAX_SAFE_INTEGER],
    passes: true,
    completes: "tool",
    completesNext: "argument",
    options: [
      CONFIG,
      {
        name: "args",
        value: "JSON|-",
        summary: "All arguments as JSON, or - to read them from standard input",
      },
      {
        name: "output",
        short: "o",
        value: "FOLDER",
        summary: "Folder for images and other files, instead of a temporary one",
        completes: "folder",
      },
      ENV,
      HEADER,
    ],
    examples: [
      {
        command: "call dev/filesystem/read_file path=notes.txt",
        explanation: "A tool of a toolbox",
      },
      {
        command: `call dev/memory/create_entities --args '{"entities":[]}'`,
        explanation: "Arguments as JSON",
      },
      {
        command: "call echo message=hello -- npx -y @modelcontextprotocol/server-everything",
        explanation: "Without any configuration",
      },
    ],
    json: [["content, structuredContent, isError, …", "the result of the tool, verbatim"]],
    load: async () => (await import("./use-bundle.ts")).call,
  },
  {
    name: "search",
    summary: "Find tools by what they do",
    usage: ["search WORDS…"],
    takes: [1, Number.MAX_SAFE_INTEGER],
    options: [
      CONFIG,
      {
        name: "toolbox",
        value: "NAME",
        summary: "Only tools of this toolbox",
        completes: "toolbox",
      },
      { name: "limit", value: "N", summary: "Maximum number of results (default 10)" },
      { name: "why", summary: "Show what each result has in common with the words" },
    ],
    examples: [
      { command: "search read a file", explanation: "In all toolboxes" },
      { command: "search read a file --why", explanation: "Why each tool has its place" },
    ],
    json: [
      ["query", "the words"],
      [
        "hits",
        "`toolbox`, `server`, `name`, `signature`, `description`, best first; `also`: other servers with the same tool; with `--why`, `why`: `words` with their scores, `meaning`, `isName`",
      ],
      ["failed", "servers that could not be searched: `toolbox`, `server`, `reason`"],
    ],
    load: async () => (await import("./use-bundle.ts")).search,
  },
  {
    name: "open",
    summary: "Show what an agent sees when it opens a toolbox",
    usage: ["open TOOLBOX"],
    takes: [1, 1],
    completes: "toolbox",
    options: [
      CONFIG,
      {
        name: "detail",
        value: "full|signatures|names",
        summary: "Level of detail (default full)",
        completes: ["full", "signatures", "names"],
      },
    ],
    examples: [{ command: "open dev", explanation: "Its servers, tools and cost in tokens" }],
    json: [
      [
        "toolbox, description, servers_connected, tools, servers_failed, instructions",
        "exactly what `open_toolbox` returns",
      ],
    ],
    load: async () => (await import("./use-bundle.ts")).open,
  },
  {
    name: "doctor",
    summary: "Check the setup and suggest fixes",
    usage: ["doctor [--fix]"],
    details:
      "Checks the runtime, the configuration, every server (by connecting to it, unless it needs the keychain or a command), the sign-ins to remote servers, the clients' entries and the workbench's own folders. Warnings do not make it fail.",
    takes: [0, 0],
    options: [
      CONFIG,
      {
        name: "fix",
        summary:
          "Fix what can be fixed safely: file permissions, leftover files, and secrets in plain text; 'undo' restores the configuration",
      },
      {
        name: "secrets",
        value: "PLACE",
        summary: "Where --fix moves secrets: env-file (secrets.env, the default) or keychain",
        completes: ["env-file", "keychain"],
      },
      { name: "no-connect", summary: "Do not connect to the servers" },
      { name: "timeout", value: "SECONDS", summary: "Time limit for each server (default 30)" },
    ],
    examples: [
      { command: "doctor", explanation: "Check everything" },
      { command: "doctor --fix --json", explanation: "For scripts" },
    ],
    json: [
      ["ok", "false if a check failed; warnings leave it true"],
      [
        "checks",
        "`area` (`runtime`, `config`, `servers`, `sign-in`, `tokens`, `clients`, `files`), `subject`, `status` (`ok`, `warning`, `error`, `fixed`), `message`, `fix`, `lastOutput`",
      ],
    ],
    load: async () => (await import("./use-bundle.ts")).doctor,
  },
  SERVE,
  {
    name: "demo",
    summary: "Try the workbench with real servers",
    usage: ["demo"],
    details:
      "Starts the servers in examples/demo, opens a toolbox, calls tools, compares token counts and exits. Needs a clone of the repository, which includes the servers.",
    takes: [0, 0],
    options: [],
    examples: [{ command: "demo", explanation: "Run the guided tour" }],
    json: [
      ["toolboxes", "`name`, `servers`, `tools`"],
      ["calls", "`tool`, `text`"],
      ["tokens", "`without` and `with` the workbench"],
    ],
    load: async () => (await import("./use-bundle.ts")).demo,
  },
  {
    name: "completion",
    summary: "Print a completion script for your shell",
    usage: ["completion bash|zsh|fish|powershell"],
    takes: [1, 1],
    completes: "shell",
    options: [],
    examples: [
      { command: "completion bash >> ~/.bashrc", explanation: "bash" },
      {
        command: "completion zsh > ~/.zfunc/_mcp-workbench",
        explanation: "zsh, with ~/.zfunc in fpath",
      },
      {
        command: "completion fish > ~/.config/fish/completions/mcp-workbench.fish",
        explanation: "fish",
      },
      {
        command: "completion powershell >> $PROFILE",
        explanation: "PowerShell",
      },
    ],
    json: [
      ["shell", "its name"],
      ["script", "the script"],
    ],
  },
  {
    name: "help",
    summary: "Show help for a command",
    usage: ["help [COMMAND]"],
    takes: [0, 1],
    completes: "command",
    options: [],
    examples: [{ command: "help init", explanation: "The same as init --help" }],
    json: [["commands", "`name`, `summary`, `usage`, `options`, `examples` of each command"]],
  },
];
