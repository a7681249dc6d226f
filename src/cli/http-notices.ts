import type { View } from "../serve/front.ts";
import type { StoredToken } from "../serve/http/token.ts";
import { NAME, VERSION } from "../version.ts";

/** What is printed when the workbench serves over HTTP. */

/** Where clients get the token from; undefined if they need none. */
export type ShownToken = StoredToken | { readonly variable: string } | undefined;

/** Shows a new token, for the only time. */
export function newTokenNotice({ token, file }: StoredToken): string {
  return [
    "A token was made for the clients of this workbench. It is shown only now, and kept in",
    `${file}, which only you can read:`,
    "",
    `  ${token}`,
    "",
    "",
  ].join("\n");
}

/** Where the workbench listens, and how a client gets there. */
export function connectionHelp(url: string, view: View, token: ShownToken): string {
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

function tokenLines(token: ShownToken): string[] {
  if (token === undefined)
    return ["No token is needed (--no-auth): every program on this machine may use it.", ""];
  if ("variable" in token) return [`Clients need the token that was in $${token.variable}.`, ""];
  return token.created ? [] : [`Clients need the token in ${token.file}.`, ""];
}

function headerOption(token: ShownToken): string {
  return token === undefined ? "" : ` --header "Authorization: Bearer ${inShell(token)}"`;
}

function inShell(token: Exclude<ShownToken, undefined>): string {
  if ("variable" in token) return `$${token.variable}`;
  return token.created ? token.token : `$(cat '${token.file}')`;
}

function entry(url: string, token: ShownToken): object {
  if (token === undefined) return { type: "http", url };
  const secret = "created" in token && token.created ? token.token : "THE-TOKEN";
  return { type: "http", url, headers: { Authorization: `Bearer ${secret}` } };
}
