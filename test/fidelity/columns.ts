/** The columns of the matrix: which server, how it is shown, and how clients connect. */
import { type ClientKind, type Era, eraOf } from "../support/clients/matrix-client.ts";

export const SERVERS = ["everything", "dual-era", "modern-only"] as const;
export type ServerKind = (typeof SERVERS)[number];

export const MODES = ["proxy", "dynamic", "transparent"] as const;
/** Without the workbench, to see that servers really behave as expected. */
export type Mode = (typeof MODES)[number] | "direct";

export const TRANSPORTS = ["stdio", "http"] as const;
/** `shared`: over stdio, through the process that clients share. `replicas`: over HTTP, each request to the next of two. */
export type Transport = (typeof TRANSPORTS)[number] | "shared" | "replicas";

export interface Column {
  readonly server: ServerKind;
  readonly mode: Mode;
  readonly transport: Transport;
}

/** The columns of the matrix, those that take longest first. */
export const COLUMNS: readonly Column[] = SERVERS.flatMap((server) =>
  TRANSPORTS.flatMap((transport) => MODES.map((mode) => ({ server, mode, transport }))),
);

/** The same clients at the same servers, through the process that clients share. */
export const SHARED_COLUMNS: readonly Column[] = SERVERS.flatMap((server) =>
  MODES.map((mode) => ({ server, mode, transport: "shared" })),
);

/** The same clients at the same servers, through two replicas in turn. */
export const REPLICA_COLUMNS: readonly Column[] = SERVERS.flatMap((server) =>
  MODES.map((mode) => ({ server, mode, transport: "replicas" })),
);

/** The same clients at the same servers, without the workbench. */
export const DIRECT_COLUMNS: readonly Column[] = SERVERS.map((server) => ({
  server,
  mode: "direct",
  transport: "stdio",
}));

const ERAS: Readonly<Record<ServerKind, readonly Era[]>> = {
  everything: ["legacy"],
  "dual-era": ["legacy", "modern"],
  "modern-only": ["modern"],
};

/** Whether a client can talk to a server at all; through the workbench all can. */
export function canMeet(client: ClientKind, { server, mode }: Column): boolean {
  return mode !== "direct" || ERAS[server].includes(eraOf(client));
}

/** The era in which the workbench talks to the server on behalf of a client. */
export function serverEra(client: ClientKind, server: ServerKind): Era {
  const [only, other] = ERAS[server];
  return other === undefined ? (only as Era) : eraOf(client);
}

export function nameOf({ server, mode, transport }: Column): string {
  return `${server}, ${mode}, ${transport}`;
}
