/** A workbench, one remote server that needs a sign-in, and its authorization server. */
import { statSync } from "node:fs";
import type { AuthStatus } from "../../../src/sign-in/types.ts";
import { type CliRun, runCli } from "../cli.ts";
import type { Disposables } from "../disposables.ts";
import { type Place, prepareWorkbench } from "../workbench.ts";
import {
  type AuthorizationServer,
  type AuthorizationServerOptions,
  startAuthorizationServer,
} from "./authorization-server.ts";
import { type LoginOptions, type LoginEvent, mustLogIn } from "./login.ts";
import {
  type ProtectedServer,
  type ProtectedServerOptions,
  startProtectedServer,
} from "./protected-server.ts";

export interface WorldOptions {
  readonly authorization?: AuthorizationServerOptions;
  readonly server?: Omit<ProtectedServerOptions, "authorization">;
  /** The setting `oauth` of the server. */
  readonly oauth?: object | false;
  /** Further settings of the server. */
  readonly entry?: object;
  /** Further servers in the same toolbox. */
  readonly others?: (url: string) => Readonly<Record<string, object>>;
  readonly env?: Readonly<Record<string, string>>;
}

export interface World {
  readonly authorization: AuthorizationServer;
  readonly server: ProtectedServer;
  readonly place: Place;
  /** Runs a command of the program. Synchronous runs would block the servers of this process. */
  run(...args: string[]): Promise<CliRun>;
  /** Signs in to `dev/api`, with the browser. */
  logIn(options?: LoginOptions): Promise<LoginEvent>;
}

/** The server is `dev/api`. */
export async function startWorld(
  disposables: Disposables,
  { authorization: issuer, server: protects, oauth, entry, others, env = {} }: WorldOptions = {},
): Promise<World> {
  const authorization = await startAuthorizationServer(disposables, issuer);
  const server = await startProtectedServer(disposables, { ...protects, authorization });
  const api = { url: server.url, ...(oauth !== undefined && { oauth }), ...entry };
  const mcpServers = { api, ...others?.(server.url) };
  const config = {
    // Spares every process the search for a keychain that test machines do not have.
    credentials: "file",
    log: { level: "debug" },
    toolboxes: { dev: { description: "Remote tools", mcpServers } },
  };
  const place = prepareWorkbench(disposables, JSON.stringify(config), { env });
  return {
    authorization,
    server,
    place,
    run: (...args) => runIn(place, ...args),
    logIn: (options) => mustLogIn(place, "dev/api", options),
  };
}

/** Runs a command of the program with the configuration of the place. */
export function runIn(place: Place, ...args: string[]): Promise<CliRun> {
  const where = { home: place.home, cwd: place.dir, env: place.env };
  return runCli(where, [...args, "--config", place.configFile]);
}

export interface ServerStatus {
  readonly name: string;
  readonly state: string;
  readonly restarts: number;
  readonly auth?: AuthStatus;
}

/** What `status --json` says about `dev/api` of the workbench with this pid, once it answers. */
export async function statusOf(place: Place, pid: number): Promise<ServerStatus | undefined> {
  const where = { home: place.home, cwd: place.dir, env: place.env };
  const { stdout } = await runCli(where, ["status", "--json"]);
  const workbenches = JSON.parse(stdout) as {
    pid: number;
    toolboxes: { servers: ServerStatus[] }[];
  }[];
  const workbench = workbenches.find((running) => running.pid === pid);
  return workbench?.toolboxes[0]?.servers.find(({ name }) => name === "api");
}

export const NEEDS_AUTH = "mcp-workbench/needs-auth";

/** True if only the owner may read the file. */
export function isPrivate(file: string): boolean {
  return (statSync(file).mode & 0o077) === 0;
}
