import type { View } from "../serve/front.ts";
import { NAME, VERSION } from "../version.ts";

/** What is printed when the workbench serves over HTTP. */

/** Where clients get the token from; undefined if they need none. */
export type TokenSource =
  | {
      readonly file: string;
      /** The token itself where it may be shown: once, and only to a person at a terminal. */
      readonly token?: string | undefined;
    }
  | { readonly variable: string }
  | undefined;

/** Where the workbench listens, and how a client gets there. */
export function connectionHelp(url: string, view: View, token: TokenSource): string {
  const endpoint = `${url}/mcp`;
  return [
    `${NAME} ${VERSION} listens on ${url}`,
    ...routes(view).map(([path, what]) => `  ${path.padEnd(26)} ${what}`),
    "",
    ...tokenLines(token),
    "Claude Code:",
    `  claude mcp add --transport http workbench ${endpoint}${headerOption(token)}`,
    "Clients that are configured in JSON:",
    `  ${JSON.stringify({ mcpServers: { workbench: entry(endpoint, token) } })}`,
    "",
  ].join("\n");
}

function routes({ scope, server }: View): [path: string, what: string][] {
  const common: [string, string][] = [
    ["/healthz", "whether it is alive"],
    ["/api/status", "what it is doing"],
  ];
  if (server !== undefined)
    return [
      ["/mcp", `the server '${server.name}' of toolbox '${server.settings.toolbox}'`],
      ...common,
    ];
  return [
    ["/mcp", `all toolboxes: ${[...scope.keys()].join(", ")}`],
    ["/mcp/{toolbox}", "one of them"],
    ["/mcp/{toolbox}/{server}", "one server as it is, with its own names"],
    ...common,
  ];
}

function tokenLines(token: TokenSource): string[] {
  if (token === undefined)
    return ["No token is needed (--no-auth): every program on this machine may use it.", ""];
  if ("variable" in token) return [`Clients need the token that was in $${token.variable}.`, ""];
  if (token.token === undefined) return [`Clients need the token in ${token.file}.`, ""];
  return [
    "Clients need this token. It is shown only this once and kept in",
    `${token.file}, which only you can read:`,
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

/** A warning for an address that others can reach without encryption. */
export function plainHttpWarning(host: string): string {
  return [
    `Warning: HTTP on ${host} is not encrypted. Everybody on the network path can read the token and`,
    "all messages. Listen on 127.0.0.1 behind a proxy that speaks TLS, or use an SSH tunnel.",
    "",
    "",
  ].join("\n");
}
