import type { ClientView } from "../../serve/client-view.ts";
import { isLoopback } from "../../text/loopback.ts";
import { NAME, VERSION } from "../../version.ts";
import { columns, wrap } from "../output/layout.ts";
import type { Reachable } from "./network-urls.ts";

/** What `serve --http` prints at start. */

/** Where the token comes from; undefined if clients do not need one. */
export type TokenSource =
  | {
      readonly file: string;
      /** The token itself if it may be shown: once, and only in a terminal. */
      readonly token?: string | undefined;
    }
  | { readonly variable: string }
  | undefined;

/** Where the workbench listens and how to connect clients. */
export function connectionHelp(
  at: Reachable,
  view: ClientView,
  token: TokenSource,
  width = ownWidth(),
): string {
  const { url, network } = at;
  // An address of the network works on this machine, too.
  const endpoint = `${network[0] ?? url}/mcp`;
  return [
    `${NAME} ${VERSION} listens on ${url}`,
    ...networkLines(at),
    columns(routes(view), "  ", width),
    "",
    ...tokenLines(token).map((line) => (line.startsWith("  ") ? line : wrap(line, width))),
    "Claude Code:",
    `  claude mcp add --transport http workbench ${endpoint}${headerOption(token)}`,
    "Clients that are configured in JSON:",
    `  ${JSON.stringify({ mcpServers: { workbench: entry(endpoint, token) } })}`,
    "",
  ].join("\n");
}

function networkLines({ network, hostName }: Reachable): string[] {
  if (network.length === 0) return [];
  return [
    "From other machines:",
    ...network.map((address) => `  ${address}`),
    ...(hostName === undefined
      ? []
      : [`  or by its name, if you start it with --allow-host ${hostName}`]),
    "",
  ];
}

function routes({ scope, server }: ClientView): [path: string, what: string][] {
  const common: [string, string][] = [
    ["/healthz", "health check"],
    ["/readyz", "whether it takes requests, for load balancers"],
    ["/api/status", "status as JSON"],
    ["/metrics", "metrics for Prometheus"],
    ["/ui/", "dashboard, opened by: mcp-workbench dashboard"],
  ];
  if (server !== undefined)
    return [
      ["/mcp", `the server '${server.name}' of toolbox '${server.settings.toolbox}'`],
      ...common,
    ];
  return [
    ["/mcp", `all toolboxes: ${[...scope.keys()].join(", ")}`],
    ["/mcp/{toolbox}", "one toolbox"],
    ["/mcp/{toolbox}/{server}", "one server, with its original names"],
    ...common,
  ];
}

function tokenLines(token: TokenSource): string[] {
  if (token === undefined)
    return ["No token is required (--no-auth): any program on this machine can use it.", ""];
  if ("variable" in token) return [`Clients need the token from $${token.variable}.`, ""];
  if (token.token === undefined) return [`Clients need the token in ${token.file}.`, ""];
  return [
    `Clients need this token. It is shown only once and stored in ${token.file}, which only you can read:`,
    "",
    `  ${token.token}`,
    "",
  ];
}

function headerOption(token: TokenSource): string {
  return token === undefined ? "" : ` --header "Authorization: Bearer ${inShell(token)}"`;
}

function inShell(token: Exclude<TokenSource, undefined>): string {
  if ("variable" in token) return `$${token.variable}`;
  return token.token ?? `$(cat '${token.file}')`;
}

function entry(url: string, token: TokenSource): object {
  if (token === undefined) return { type: "http", url };
  const secret = ("token" in token ? token.token : undefined) ?? "THE-TOKEN";
  return { type: "http", url, headers: { Authorization: `Bearer ${secret}` } };
}

/** A warning if other machines can reach the address, which is not encrypted; else nothing. */
export function plainHttpWarning(host: string, width = ownWidth()): string {
  if (isLoopback(host)) return "";
  const text = `Warning: HTTP on ${host} is not encrypted. Anyone on the network path can read the token and all messages. Listen on 127.0.0.1 behind a TLS proxy, or use an SSH tunnel.`;
  return `${wrap(text, width)}\n\n`;
}

/** These texts go to standard error. */
function ownWidth(): number {
  return process.stderr.columns || Infinity;
}
