import { setTimeout as delay } from "node:timers/promises";

import { TokenAccess, type TokenAccessOptions } from "../access/tokens/token-access.ts";
import { reasonOf, workbenchError } from "../errors.ts";
import type { Workbench } from "../workbench/workbench.ts";
import type { ClientView } from "./client-view.ts";
import type { Replicas } from "./cluster/replicas.ts";
import { Access } from "./http/access.ts";
import { type Address, urlOf } from "./http/address.ts";
import { BrowserRoutes, type OpenDashboard } from "./http/browser-routes.ts";
import { Handler } from "./http/handler.ts";
import { listen } from "./http/listen.ts";
import { LateUsers } from "./http/late-users.ts";
import { newServer } from "./http/new-server.ts";
import { announceAddress, assertProtected } from "./http/public-address.ts";
import { inTurns } from "./http/request-turns.ts";

export interface HttpOptions {
  readonly address: Address;
  /** The token of the owner; undefined allows every program of this machine. */
  readonly token: string | undefined;
  /** The file with the access tokens that the owner has created; undefined if none are accepted. */
  readonly tokenFile?: TokenAccessOptions["file"] | undefined;
  /** Additional host names that clients may use, as `name` or `name:port`. */
  readonly allowedHosts?: readonly string[];
  readonly timeouts?: Partial<HttpTimeouts>;
  /** Loads the dashboard; without it, there is none. */
  readonly dashboard?: OpenDashboard | undefined;
}

export interface HttpTimeouts {
  /** For the head of a request. */
  readonly headersMs: number;
  /** For a whole request. */
  readonly requestMs: number;
  /** Between keep-alives on an idle connection. */
  readonly keepAliveMs: number;
}

export interface HttpFront {
  /** The address it listens on, without a path. */
  readonly url: string;
  /** The number of clients with a session. */
  readonly sessions: number;
  /** A link to the dashboard that works once. */
  dashboardLink(): Promise<string>;
  /** Gives the sessions to other replicas and lets calls finish; without replicas, nothing happens. */
  drain(): Promise<void>;
  /** Refuses new requests, lets the last ones be answered, then ends all sessions and streams. */
  close(): Promise<void>;
}

/** The keep-alive interval is shorter than the usual idle limits of clients and proxies. */
const TIMEOUTS: HttpTimeouts = { headersMs: 10_000, requestMs: 30_000, keepAliveMs: 15_000 };
/** How often requests that arrive too slowly are checked. */
const CHECK_MS = 500;
/** Longer than clients keep an unused connection, so that the client closes it. */
const KEEP_ALIVE_MS = 65_000;
const MAX_CONNECTIONS = 10_000;
/** How long the last answers may take to be sent. */
const FLUSH_MS = 500;

/** This workbench among others that serve the same clients; loaded if there are any. */
async function replicasOf(workbench: Workbench): Promise<Replicas | undefined> {
  const { cluster: link, log } = workbench.host;
  if (link === undefined) return undefined;
  // The others would not understand it.
  if (workbench.settings.http.tls !== undefined && link.advertise.startsWith("http:"))
    throw workbenchError("CLUSTER_UNUSABLE", {
      reason: "with 'http.tls', 'cluster.advertise' has to begin with https://",
    });
  const { Replicas } = await import("./cluster/replicas.ts");
  // Changes of `cluster` take effect with the next start; a replica that runs stays one.
  const { drainMs = 0 } = workbench.settings.cluster ?? {};
  const sessionIdleMs = (): number => workbench.settings.http.sessionIdleMs;
  const { tasks, results } = workbench.pipeline;
  const contents = {
    isKnownTask: (taskId: string) => tasks.isKnown(taskId),
    resultFile: (...wanted: Parameters<typeof results.stored>) => results.stored(...wanted),
  };
  const replicas = new Replicas({ link, log, sessionIdleMs, drainMs, contents });
  results.remote = replicas.results;
  await replicas.start();
  return replicas;
}

/** Serves any number of clients over HTTP, until it is closed. */
export async function serveHttp(
  workbench: Workbench,
  view: ClientView,
  options: HttpOptions,
): Promise<HttpFront> {
  const { address, token, allowedHosts = [] } = options;
  // Which addresses exist depends on the policy.
  await workbench.pipeline.preparing;
  const { headersMs, requestMs, keepAliveMs: beatMs } = { ...TIMEOUTS, ...options.timeouts };
  const server = await newServer(workbench, {
    headersTimeout: headersMs,
    requestTimeout: requestMs,
    connectionsCheckingInterval: Math.min(CHECK_MS, headersMs),
    keepAliveTimeout: KEEP_ALIVE_MS,
    keepAlive: true,
  });
  server.maxConnections = MAX_CONNECTIONS;
  const replicas = await replicasOf(workbench);
  const { address: ip, port } = await listen(server, address);
  try {
    assertProtected(token, ip, address);
  } catch (error) {
    server.close();
    throw error;
  }
  // Slow clients lose their streams or answers, so they never pause servers.
  const reader = workbench.readers.add();
  const bound = { host: address.host, port };
  const url = urlOf(bound, workbench.settings.http.tls === undefined ? "http" : "https");
  announceAddress(workbench, { ip, url, allowedHosts });
  const { tokenFile: file } = options;
  const tokens =
    file === undefined
      ? undefined
      : new TokenAccess({
          file,
          log: workbench.host.log,
          onEnded: (principal) => handler.end(principal),
        });
  const users = new LateUsers(workbench, {
    onExpired: (principal) => handler.pause(principal),
    onEnded: (principal) => handler.end(principal),
  });
  const access = new Access(bound, allowedHosts, {
    owner: token,
    tokens,
    users,
    cluster: workbench.host.cluster,
  });
  const handler = new Handler(workbench, view, access, beatMs, replicas);
  // A connection that could not be accepted, for example because too many files are open.
  server.on("error", (error) =>
    workbench.host.log.warn(`could not accept a connection: ${reasonOf(error)}`),
  );
  const { dashboard } = options;
  const sessions = (): number => handler.sessions;
  const browsers = new BrowserRoutes({ workbench, view, access, sessions, dashboard });
  const handle = inTurns(browsers.before(replicas?.observe(handler.handle) ?? handler.handle));
  server.on("request", handle);
  server.on("checkContinue", handle);
  void replicas?.checkAddress();
  return {
    url,
    get sessions() {
      return handler.sessions;
    },
    dashboardLink() {
      return browsers.dashboardLink(url);
    },
    async drain() {
      const isAsked = (): boolean => handler.isAsked;
      await replicas?.drain({ isAsked, endStreams: () => handler.endStreams() });
    },
    async close() {
      handler.refuseNew();
      browsers.close();
      await workbench.drained();
      // What is still in progress is cut off. When its session is closed, it would be recorded as cancelled by its client.
      workbench.pipeline.observers.audit.end();
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      await handler.close();
      users.close();
      // What it records is not worth waiting for.
      await Promise.race([tokens?.close(), delay(FLUSH_MS)]);
      server.closeIdleConnections();
      await Promise.race([closed, delay(FLUSH_MS)]);
      server.closeAllConnections();
      reader.remove();
    },
  };
}
