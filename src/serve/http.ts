import { createServer } from "node:http";
import { setTimeout as delay } from "node:timers/promises";

import { TokenAccess } from "../access/tokens/token-access.ts";
import { reasonOf, workbenchError } from "../errors.ts";
import type { Workbench } from "../workbench/workbench.ts";
import type { ClientView } from "./client-view.ts";
import { Access } from "./http/access.ts";
import { isLoopback } from "../text/loopback.ts";
import { type Address, authority, urlOf } from "./http/address.ts";
import { Handler } from "./http/handler.ts";
import { listen } from "./http/listen.ts";
import { KeepAlive } from "./http/keep-alive.ts";
import { inTurns } from "./http/request-turns.ts";
import { type OpenDashboard, UiRoute } from "./http/ui-route.ts";

export interface HttpOptions {
  readonly address: Address;
  /** The token of the owner; undefined allows every program of this machine. */
  readonly token: string | undefined;
  /** The file with the access tokens that the owner has created; undefined if none are accepted. */
  readonly tokenFile?: string | undefined;
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
  const server = createServer({
    headersTimeout: headersMs,
    requestTimeout: requestMs,
    connectionsCheckingInterval: Math.min(CHECK_MS, headersMs),
    keepAliveTimeout: KEEP_ALIVE_MS,
    keepAlive: true,
  });
  server.maxConnections = MAX_CONNECTIONS;
  const { address: ip, port } = await listen(server, address);
  if (token === undefined && !isLoopback(ip)) {
    server.close();
    const reason = `without a token, anyone who can reach ${ip} could use it`;
    throw workbenchError("CANNOT_LISTEN", { address: authority(address), reason });
  }
  // A proxy in front of it may have clients anywhere.
  if (!isLoopback(ip) || allowedHosts.length > 0) workbench.host.areClientsLocal = false;
  // Slow clients lose their streams or answers, so they never pause servers.
  const reader = workbench.readers.add();
  const bound = { host: address.host, port };
  const { tokenFile: file } = options;
  const tokens =
    file === undefined
      ? undefined
      : new TokenAccess({
          file,
          log: workbench.host.log,
          onEnded: (principal) => handler.end(principal),
        });
  const access = new Access(bound, allowedHosts, { owner: token, tokens });
  const handler = new Handler(workbench, view, access, new KeepAlive(beatMs));
  // A connection that could not be accepted, for example because too many files are open.
  server.on("error", (error) =>
    workbench.host.log.warn(`could not accept a connection: ${reasonOf(error)}`),
  );
  const { dashboard } = options;
  const sessions = (): number => handler.sessions;
  const ui = dashboard && new UiRoute(access, () => dashboard({ workbench, view, sessions }));
  const handle = inTurns(ui?.before(handler.handle) ?? handler.handle);
  server.on("request", handle);
  server.on("checkContinue", handle);
  return {
    url: urlOf(bound),
    get sessions() {
      return handler.sessions;
    },
    async dashboardLink() {
      if (ui === undefined) throw workbenchError("NOTHING_HERE", { path: "/ui" });
      return ui.newLink(urlOf(bound));
    },
    async close() {
      handler.refuseNew();
      ui?.close();
      await workbench.drained();
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      await handler.close();
      // What it records is not worth waiting for.
      await Promise.race([tokens?.close(), delay(FLUSH_MS)]);
      server.closeIdleConnections();
      await Promise.race([closed, delay(FLUSH_MS)]);
      server.closeAllConnections();
      reader.remove();
    },
  };
}
