import type { Command } from "../core/command.ts";
import { CONFIG } from "../core/common-options.ts";

/** The row of `serve`. Its implementation is part of the main bundle, because clients wait for it. */
export const SERVE: Command = {
  name: "serve",
  summary: "Run the workbench as an MCP server (stdio or HTTP)",
  usage: [
    "serve [--shared] [--toolbox NAME]…",
    "serve [--shared] --server TOOLBOX/SERVER",
    "serve --http [HOST:]PORT [--token-env NAME]",
  ],
  details:
    "Clients run this command. It is also the default when mcp-workbench is started without a command and standard input is not a terminal.",
  takes: [0, 0],
  options: [
    CONFIG,
    {
      name: "toolbox",
      value: "NAME",
      multiple: true,
      summary: "Serve only this toolbox; may be given several times",
      completes: "toolbox",
    },
    {
      name: "server",
      value: "TOOLBOX/SERVER",
      summary: "Serve one server as if the client were connected to it directly",
      completes: "server",
    },
    {
      name: "shared",
      summary:
        "Use one process, with one set of servers, for all clients of this configuration (stdio only)",
    },
    {
      name: "http",
      value: "[HOST:]PORT",
      summary:
        "Serve over HTTP at /mcp, /mcp/TOOLBOX and /mcp/TOOLBOX/SERVER; on 127.0.0.1 unless a host is given",
    },
    {
      name: "token-env",
      value: "NAME",
      summary: "HTTP: read the access token from this environment variable",
    },
    { name: "no-auth", summary: "HTTP: do not require a token (loopback addresses only)" },
    {
      name: "allow-host",
      value: "NAME",
      multiple: true,
      summary: "HTTP: also accept requests for this host name",
    },
    {
      name: "metrics",
      value: "[HOST:]PORT",
      summary: "Serve metrics for Prometheus at /metrics of this port, without a token",
    },
  ],
  examples: [
    { command: "serve --config ./workbench-config.json", explanation: "What clients run" },
    { command: "serve --toolbox dev", explanation: "One toolbox only" },
  ],
  json: [],
};
