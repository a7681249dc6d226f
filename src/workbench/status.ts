import { isPerUser } from "../config/per-user.ts";
import type { ProcessOutput } from "../servers/connection-pool.ts";
import type { Server } from "../servers/server.ts";
import type { ServerState } from "../servers/server-state.ts";
import type { AuthStatus } from "../sign-in/types.ts";
import { VERSION } from "../version.ts";
import type { PersonalServer, PersonalServers } from "../toolboxes/personal-servers.ts";
import type { Scope } from "./scopes.ts";
import type { Workbench } from "./workbench.ts";

/** The state of a workbench, as `mcp-workbench status --json` and `/api/status` report it. */
export interface WorkbenchStatus {
  readonly version: string;
  readonly pid: number;
  readonly uptimeMs: number;
  readonly config: string | null;
  /** The reason why the configuration file is not in effect; unset if it is. */
  readonly configProblem: string | null;
  readonly toolboxes: readonly ToolboxStatus[];
  readonly sessions: number;
  /** Set for a workbench that clients share. */
  readonly shared?: boolean;
}

export interface ToolboxStatus {
  readonly name: string;
  /** True if one of its servers is connected. */
  readonly open: boolean;
  readonly servers: readonly ServerStatus[];
}

export interface ServerStatus {
  readonly name: string;
  readonly state: ServerState;
  readonly pid: number | null;
  readonly restarts: number;
  readonly lastError: string | null;
  /** The stable name of its cause, such as `refused` or `exited`. */
  readonly lastErrorCode: string | null;
  readonly stderrTail: readonly string[];
  /** Its processes: several if clients start it in different ways, or do not share it. */
  readonly processes: readonly ProcessOutput[];
  /** Settings about its tools that do not match its tools. */
  readonly problems: readonly string[];
  /** The number of tools it shows; null before the first connection. */
  readonly tools: number | null;
  /** How it is signed in to; null if it never asked for that. */
  readonly auth: AuthStatus | null;
  /** Where each user signs in: the users other than the owner who have clients, as far as they are shown. */
  readonly users?: readonly UserStatus[];
  /** How many there are. */
  readonly userCount?: number;
  readonly calls: number;
  readonly errors: number;
  /** Milliseconds, over the most recent calls. */
  readonly latency: { readonly p50: number; readonly p99: number; readonly max: number } | null;
}

/** A server that each user signs in to, as one user has it. */
export interface UserStatus {
  readonly user: string;
  readonly state: ServerState;
  readonly auth: AuthStatus | null;
  readonly calls: number;
  readonly errors: number;
}

/** The scope of a workbench: some toolboxes, or a single server of one. */
export interface ServedView {
  readonly scope: Scope;
  readonly server?: Server;
}

const SEE_DOCTOR = "run 'mcp-workbench doctor' to see why";

export function statusOf(
  workbench: Workbench,
  { scope, server: only }: ServedView,
  sessions: number,
): WorkbenchStatus {
  const shown = [...scope.values()].filter(
    ({ name }) => only === undefined || name === only.settings.toolbox,
  );
  const toolboxes = shown.map((toolbox) => {
    const served = only === undefined ? [...toolbox.servers.values()] : [only];
    const personal = workbench.toolboxes.get(toolbox.name)?.personal;
    const servers = served.map((server) => serverStatus(server, personal));
    return { name: toolbox.name, open: servers.some(({ state }) => state === "ready"), servers };
  });
  const isLimited = only !== undefined || scope !== workbench.toolboxes;
  const problem = workbench.configProblem ?? null;
  return {
    version: VERSION,
    pid: process.pid,
    uptimeMs: Date.now() - workbench.startedAt,
    config: workbench.settings.file ?? null,
    // The problem itself may name servers outside the scope.
    configProblem: isLimited && problem !== null ? SEE_DOCTOR : problem,
    toolboxes,
    sessions,
  };
}

/** How many users of a server are shown. */
const MAX_USERS = 100;

/** The state of one server; `personal` are those of single users in its toolbox. */
export function serverStatus(
  server: Server,
  personal?: Pick<PersonalServers, "values">,
): ServerStatus {
  const [connection] = server.connections.values();
  const { calls, errors, latency } = server.statistics;
  const { stderrTail, outputs, problems, toolCount } = server.connections.observed;
  const { unavailable } = server.settings;
  const { restarts, lastError, lastErrorCode } = server.failures;
  return {
    name: server.name,
    state: server.state,
    pid: connection?.channel.pid ?? null,
    restarts,
    lastError: lastError ?? null,
    lastErrorCode: lastErrorCode ?? null,
    stderrTail,
    processes: outputs,
    problems: unavailable === undefined ? problems : [unavailable, ...problems],
    tools: toolCount ?? null,
    auth: server.signIn?.status ?? null,
    ...(isPerUser(server.settings) && usersOf([...(personal?.values(server.name) ?? [])])),
    calls,
    errors,
    latency: latency ?? null,
  };
}

function usersOf(servers: readonly PersonalServer[]): Pick<ServerStatus, "users" | "userCount"> {
  const users = servers.slice(0, MAX_USERS).map(({ user, server }) => {
    const { calls, errors } = server.statistics;
    const { state, signIn } = server;
    return { user: user.name, state, auth: signIn?.status ?? null, calls, errors };
  });
  return { users, userCount: servers.length };
}
