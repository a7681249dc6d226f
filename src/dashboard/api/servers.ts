import { serverOutput } from "../server-output.ts";
import type { ServerSettings } from "../../config/types.ts";
import { serversOf } from "../../serve/client-view.ts";
import { atMost } from "../../servers/deadline.ts";
import type { Server } from "../../servers/server.ts";
import { shellWords } from "../../text/shell-words.ts";
import { findServer, orThrow } from "../../workbench/find.ts";
import { restartServer } from "../../workbench/shutdown.ts";
import { serverStatus } from "../../workbench/status.ts";
import type { DashboardContext } from "../context.ts";
import type {
  ServerDetail,
  ServerName,
  ServerPage,
  ServerSummary,
  SignInLink,
  ToolboxSummary,
} from "../contract.ts";
import { SERVER_STATES, type ServerState } from "../../servers/server-state.ts";
import { RequestError } from "../http/api-error.ts";
import { type Body, textIn } from "../http/body.ts";
import { type Query, matches, pageOf } from "../http/query.ts";

/** How long the answer to a restart waits for the server. */
const RESTART_MS = 10_000;

/** The number of servers in each state. */
export function countStates(servers: readonly Server[]): Record<ServerState, number> {
  const counts = Object.fromEntries(SERVER_STATES.map((state) => [state, 0])) as Record<
    ServerState,
    number
  >;
  for (const { state } of servers) counts[state]++;
  return counts;
}

export function listServers({ view }: DashboardContext, query: Query): ServerPage {
  const state = query.choice("state", SERVER_STATES);
  const toolbox = query.text("toolbox");
  const found = serversOf(view).filter(
    (server) =>
      (state === undefined || server.state === state) &&
      (toolbox === "" || server.settings.toolbox === toolbox) &&
      matches(query.text("q"), `${server.settings.toolbox}/${server.name}`),
  );
  return { ...pageOf(found, query, summaryOf), toolboxes: toolboxesOf(serversOf(view), view) };
}

function toolboxesOf(
  servers: readonly Server[],
  { scope }: DashboardContext["view"],
): readonly ToolboxSummary[] {
  return Array.from(scope.values(), ({ name, settings }) => {
    const own = servers.filter((server) => server.settings.toolbox === name);
    const ready = own.filter(({ state }) => state === "ready").length;
    return { name, description: settings.description, servers: own.length, ready };
  });
}

export function summaryOf(server: Server): ServerSummary {
  const {
    name,
    stderrTail: _lines,
    processes: _processes,
    problems: _problems,
    users: _users,
    userCount: _userCount,
    auth,
    ...status
  } = serverStatus(server);
  const { transport } = server.settings;
  const kind =
    transport.kind === "stdio" ? "local" : transport.kind === "scripts" ? "scripts" : "remote";
  return { toolbox: server.settings.toolbox, server: name, ...status, auth, kind };
}

export function showServer(context: DashboardContext, query: Query): ServerDetail {
  return detailOf(
    context,
    serverAt(context, { toolbox: query.required("toolbox"), server: query.required("server") }),
  );
}

/** The server of this name, if it is shown; throws if it is not. */
export function serverAt({ view }: DashboardContext, name: ServerName): Server {
  return orThrow(findServer(view.scope, name));
}

export function namedIn(body: Body): ServerName {
  return { toolbox: textIn(body, "toolbox"), server: textIn(body, "server") };
}

function detailOf({ workbench }: DashboardContext, server: Server): ServerDetail {
  const { personal } = workbench.toolboxes.get(server.settings.toolbox) ?? {};
  const { problems, users, userCount } = serverStatus(server, personal);
  const target = workbench.host.redact(targetOf(server.settings));
  const ofUsers = users && { users, userCount };
  return { ...summaryOf(server), target, stderr: serverOutput(server), problems, ...ofUsers };
}

/** What is started or connected to. */
function targetOf({ transport }: ServerSettings): string {
  if (transport.kind === "stdio") return shellWords([transport.command, ...transport.args]);
  return transport.kind === "scripts" ? transport.folder : transport.url;
}

/** A link to the sign-in page of a server. It leads to this machine first, so the page opens no foreign address. */
export async function signIn(context: DashboardContext, body: Body): Promise<SignInLink> {
  const server = serverAt(context, namedIn(body));
  const { signIn: target, host } = server;
  const link = target && (await (await host.signIns?.load())?.loginLink(target));
  if (target !== undefined && link !== undefined) return { url: link, origin: target.origin };
  const { auth } = serverStatus(server);
  throw new RequestError(
    409,
    "conflict",
    auth === null ? "This server needs no sign-in" : "A browser cannot sign in to this server",
    auth === null ? undefined : `Run: ${auth.login}`,
  );
}

/** Ends all connections of a server and starts it again. Its failure to start is in the answer. */
export async function restart(context: DashboardContext, body: Body): Promise<ServerDetail> {
  const server = serverAt(context, namedIn(body));
  context.workbench.host.log.info("restarted in the dashboard", server.place);
  await restartServer(context.workbench, server);
  const started = context.client.connect(server).catch(() => undefined);
  await atMost(RESTART_MS, started);
  return detailOf(context, server);
}
