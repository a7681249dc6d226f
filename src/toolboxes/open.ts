import { notApproved } from "../calls/call-errors.ts";
import { neededSignIn } from "../calls/sign-in-error.ts";
import { shortReasonOf } from "../errors.ts";
import type { Connection } from "../servers/connection/connection.ts";
import type { Server } from "../servers/server.ts";
import type { Catalogue } from "../servers/tools/catalogue.ts";

export interface FailedServer {
  readonly server: string;
  readonly reason: string;
}

/** A server that is not connected, and its last known tools. */
export interface KnownTools {
  readonly server: Server;
  readonly connection: {
    readonly catalogue: Catalogue;
    readonly hello: { readonly instructions: string | undefined };
  };
}

/** Connects a server for a client. */
export type ConnectServer = (server: Server) => Promise<Connection>;

/** Changes an error before it is reported. */
export type ExplainFailure = (error: unknown, server: Server) => Promise<unknown>;

export interface OpenResult {
  readonly connected: readonly { readonly server: Server; readonly connection: Connection }[];
  readonly failed: readonly FailedServer[];
  /** Those of the failed servers that wait for a sign-in, with the tools they had before. */
  readonly known: readonly KnownTools[];
  /** The servers that need more time, with the connections they will have. These never reject unhandled. */
  readonly starting: readonly {
    readonly server: Server;
    readonly connection: Promise<Connection>;
  }[];
}

/** Agents get what is ready within 10 seconds; this leaves time to write the answer. */
const MAX_OPEN_MS = 9000;
const LATE = Symbol("late");

/**
 * Connects the servers of a toolbox in parallel. One that fails or takes long does not affect the others:
 * after some time the result is what is ready, and the rest continues.
 */
export async function openServers(
  all: Iterable<Server>,
  connect: ConnectServer,
  explain: ExplainFailure = async (error) => error,
): Promise<OpenResult> {
  const servers = [...all].filter((server) => !server.settings.disabled);
  const attempts = servers.map(async (server) => {
    const connection = await connectForTools(server, connect);
    requireApproval(server);
    return connection;
  });
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<typeof LATE>((resolve) => {
    timer = setTimeout(resolve, MAX_OPEN_MS, LATE);
  });
  const outcomes = await Promise.allSettled(
    attempts.map((attempt) => Promise.race([attempt, late])),
  );
  clearTimeout(timer);
  const connected: { server: Server; connection: Connection }[] = [];
  const failed: FailedServer[] = [];
  const known: KnownTools[] = [];
  const starting: { server: Server; connection: Promise<Connection> }[] = [];
  for (const [i, outcome] of outcomes.entries()) {
    const server = servers[i] as Server;
    const connection = attempts[i] as Promise<Connection>;
    if (outcome.status === "rejected") {
      const reason = await explain(outcome.reason, server);
      failed.push({ server: server.name, reason: shortReasonOf(reason) });
      if (neededSignIn(outcome.reason) !== undefined) known.push(...(await knownTools(server)));
    } else if (outcome.value === LATE) starting.push({ server, connection });
    else connected.push({ server, connection: outcome.value });
  }
  return { connected, failed, known, starting };
}

/** What a server showed when it was connected last; nothing if it never was. */
async function knownTools(server: Server): Promise<KnownTools[]> {
  const known = await server.host.memory.load(server).catch(() => undefined);
  if (known === undefined) return [];
  const { catalogue, instructions } = known;
  return [{ server, connection: { catalogue, hello: { instructions } } }];
}

/** Throws if the user has approved nothing of a server: an empty list would mislead agents. */
function requireApproval({ host, place }: Server): void {
  const blocked = host.pins?.current?.blockedReason(place);
  if (blocked !== undefined) throw notApproved(place, "all tools", blocked);
}

/** Connects a server that is needed for its tools: if they cannot be listed, that is a failure. */
export async function connectForTools(
  server: Server,
  connect: (server: Server) => Promise<Connection>,
): Promise<Connection> {
  const connection = await connect(server);
  if (connection.toolsProblem !== undefined) await server.whenListed(connection);
  return connection;
}
