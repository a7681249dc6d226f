import type { Command } from "./command.ts";

/** The row of `serve`. The command itself is part of the program, because clients wait for it. */
export const SERVE: Command = {
  name: "serve",
  summary: "Be an MCP server, on standard input and output or over HTTP",
  usage: [
    "serve [--toolbox NAME]…",
    "serve --server TOOLBOX/SERVER",
    "serve --http [HOST:]PORT [--no-auth | --token-env NAME]",
  ],
  details:
    "On standard input and output it serves the client that started it; without a command, and with something else than a terminal at the other end, mcp-workbench does the same. Over HTTP it serves any number of clients on this machine, with an access token.",
  takes: [0, 0],
  options: [
    {
      name: "config",
      value: "FILE",
      summary: "The configuration, instead of the one that is found",
      completes: "file",
    },
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
      summary: "Serve over HTTP at this address; the host is 127.0.0.1 if not given",
    },
    { name: "no-auth", summary: "With --http: no access token; on 127.0.0.1 only" },
    {
      name: "token-env",
      value: "NAME",
      summary: "With --http: the variable that holds the access token, instead of a stored one",
    },
    {
      name: "allow-host",
      value: "HOST",
      multiple: true,
      summary: "With --http: a further name under which clients may reach it",
    },
  ],
  examples: [
    { command: "serve --config ./workbench-config.json", explanation: "What clients run" },
    { command: "serve --toolbox dev", explanation: "One toolbox only" },
    { command: "serve --http 7333", explanation: "For many clients at http://127.0.0.1:7333/mcp" },
  ],
  json: [],
};
