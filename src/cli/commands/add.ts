import type { Command, Option } from "../core/command.ts";
import { CONFIG, ENV, HEADER } from "../core/common-options.ts";
import { CHANGES, DRY_RUN } from "./change.ts";

export const YES: Option = {
  name: "yes",
  short: "y",
  summary: "Do not ask; accept every suggestion",
};
export const SECRETS: Option = {
  name: "secrets",
  value: "PLACE",
  summary:
    "Where literal secrets go: env-file (secrets.env next to the configuration, the default), keychain, variables (you set them yourself) or keep (they stay in the entries)",
  completes: ["env-file", "keychain", "variables", "keep"],
};
export const TOOLBOX: Option = {
  name: "toolbox",
  value: "NAME",
  summary: "Toolbox to use; created if it does not exist",
  completes: "toolbox",
};
const FROM_REGISTRY: Option = {
  name: "registry",
  value: "URL",
  summary: "Use this registry instead of the one in the configuration or the official one",
};

/** The row of `add`. */
export const ADD: Command = {
  name: "add",
  summary: "Add a server to the configuration",
  usage: [
    "add NAME [--toolbox T] [--env K=V]… -- COMMAND [ARGS]…",
    "add NAME URL [--header H]…",
    "add REGISTRY-NAME[@VERSION] [--set NAME=VALUE]…",
    "add FILE.mcpb [--set NAME=VALUE]…",
  ],
  details:
    "Creates the configuration and the toolbox if they do not exist. `--env NAME` without a value passes on the variable from your environment. A server of a registry, or a bundle, is added after you have seen what it runs and confirmed it; its version is pinned, its secrets are stored like those of `secret`, and a bundle is unpacked into a folder of its own. Removing the server leaves that folder.",
  takes: [1, 2],
  passes: true,
  options: [
    CONFIG,
    TOOLBOX,
    {
      name: "description",
      value: "TEXT",
      summary: "What a new toolbox is for; agents choose toolboxes by this text",
    },
    ENV,
    HEADER,
    {
      name: "cwd",
      value: "FOLDER",
      summary: "Working directory of the command",
      completes: "folder",
    },
    {
      name: "transport",
      value: "http|sse",
      summary: "Transport for a URL; detected if not given",
      completes: ["http", "sse"],
    },
    {
      name: "set",
      value: "NAME=VALUE",
      multiple: true,
      summary:
        "The value of an input of a registry server or bundle; NAME alone refers to the variable or stored secret of that name",
    },
    {
      name: "name",
      value: "NAME",
      summary: "Name of a registry server or bundle in the configuration",
    },
    {
      name: "package",
      value: "KIND",
      summary: "Which form of a registry server: npm, pypi, oci, nuget, mcpb or remote",
      completes: ["npm", "pypi", "oci", "nuget", "mcpb", "remote"],
    },
    FROM_REGISTRY,
    {
      ...SECRETS,
      summary:
        "Where secrets of a registry server or bundle go: env-file (secrets.env next to the configuration, the default), keychain or variables (you set them yourself)",
      completes: ["env-file", "keychain", "variables"],
    },
    { name: "force", summary: "Replace a server of the same name" },
    YES,
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
    {
      command: "add com.example/weather --dry-run",
      explanation: "Show what a registry server runs",
    },
    {
      command: "add com.example/weather@1.2.0 --toolbox web --set WEATHER_API_KEY --yes",
      explanation: "One version, with a stored secret, without questions",
    },
    { command: "add ./weather.mcpb", explanation: "A bundle" },
  ],
  json: [
    ...CHANGES,
    ["toolbox", "where it was added"],
    ["server", "its name"],
    [
      "offer",
      "of a registry server or bundle: `name`, `version`, `registry`, `kind`, `identifier`, `packageVersion`, `transport`, `folder` and `sha256` (of a bundle), `needs` (`name`, `description`, `required`, `secret`, `default`, `choices`, `repeated`); otherwise null",
    ],
  ],
  load: async () => (await import("./setup-bundle.ts")).add,
};

/** The row of `registry`. */
export const REGISTRY: Command = {
  name: "registry",
  summary: "Search the MCP registry for servers",
  usage: ["registry WORDS…"],
  details:
    "Lists the servers that have all words in their name, title or description (one of them in their name, because registries search names), with their latest version and how they can be run. It asks the official registry, or the one that `registry.url` in the configuration or --registry names. Nothing is installed; `add NAME` does that.",
  takes: [1, Number.MAX_SAFE_INTEGER],
  options: [
    CONFIG,
    FROM_REGISTRY,
    { name: "limit", value: "N", summary: "Show at most this many (default 20, at most 200)" },
  ],
  examples: [
    { command: "registry weather", explanation: "Servers with this word" },
    { command: "registry weather --json", explanation: "The same for scripts" },
  ],
  json: [
    ["registry", "its address"],
    ["words", "what was looked for"],
    [
      "servers",
      "`name`, `title`, `description`, `version`, `status`, `website`, `repository`, `packages` (`type`, `identifier`, `version`, `transport`), `remotes` (`type`, `url`)",
    ],
    ["hasMore", "whether there are more"],
  ],
  load: async () => (await import("./registry-bundle.ts")).registry,
};
