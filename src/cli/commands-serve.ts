import type { Command } from "./command.ts";
import { CONFIG } from "./common-options.ts";

/** The row of `serve`. The command itself is part of the program, because clients wait for it. */
export const SERVE: Command = {
  name: "serve",
  summary: "Be an MCP server, on standard input and output or over HTTP",
  usage: [
    "serve [--toolbox NAME]…",
    "serve --server TOOLBOX/SERVER",
    "serve --http [HOST:]PORT [--token-env NAME]",
  ],
  details:
    "This is what clients start. Without a command, and with something else than a terminal at the other end, mcp-workbench does the same.",
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
      name: "http",
      value: "[HOST:]PORT",
      summary:
        "Serve over HTTP at /mcp, /mcp/TOOLBOX and /mcp/TOOLBOX/SERVER; this machine alone unless a host is given",
    },
    {
      name: "token-env",
      value: "NAME",
      summary: "Over HTTP: take the token that clients need from this variable",
    },
    { name: "no-auth", summary: "Over HTTP: want no token; only on this machine" },
    {
      name: "allow-host",
      value: "NAME",
      multiple: true,
      summary: "Over HTTP: a further name the workbench is called by",
    },
  ],
  examples: [
    { command: "serve --config ./workbench-config.json", explanation: "What clients run" },
    { command: "serve --toolbox dev", explanation: "One toolbox only" },
  ],
  json: [],
};
