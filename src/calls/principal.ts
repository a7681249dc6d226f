import type { SignInUser } from "../config/types.ts";
import type { ServerRef } from "./identifier.ts";

/** Who a call is made for. Decides access; what a client claims about itself never does. */
export interface Principal {
  readonly kind: "stdio" | "owner" | "token" | "oauth" | "local" | "replica";
  /** Unique among principals. */
  readonly id: string;
  readonly name: string;
  /** Changes with its token: when that is rotated, or gives other access. Sessions of the former one end. */
  readonly issue?: string | undefined;
  /** Set if several clients are this principal at the same time: distinguishes one of them. */
  readonly client?: string | undefined;
  /** How often that client has connected before, to this workbench or others. */
  readonly epoch?: number | undefined;
  /** The toolboxes it may use; all of them if undefined. */
  readonly toolboxes?: readonly string[] | undefined;
  /** The single servers it may use in addition, as `toolbox/server`. */
  readonly servers?: readonly string[] | undefined;
  readonly readOnly: boolean;
  /** Where it may nevertheless do more than read, if it is `readOnly`; the names as above. */
  readonly writable?:
    | { readonly toolboxes: readonly string[]; readonly servers: readonly string[] }
    | undefined;
  /** Set if its user sees what waits for an approval anyway, so that no form of the client needs to ask. */
  readonly seesApprovals?: boolean | undefined;
}

/** Whether a principal may only read at a server. */
export function onlyReadsAt(
  { readOnly, writable }: Pick<Principal, "readOnly" | "writable">,
  { toolbox, server }: ServerRef,
): boolean {
  if (!readOnly || writable === undefined) return readOnly;
  const { toolboxes, servers } = writable;
  return !toolboxes.includes(toolbox) && !servers.includes(`${toolbox}/${server}`);
}

/**
 * Identifies a principal together with what it may use. A user may have tokens with different scopes at the same time;
 * what was obtained with one must not be found with another.
 */
export function accessIdOf(principal: Principal): string {
  const { kind, id, toolboxes, servers, readOnly, writable } = principal;
  if (kind !== "oauth") return id;
  return `${id} ${JSON.stringify([toolboxes, servers, readOnly, writable])}`;
}

/** The ids of replicas that use a server here begin with it. */
export const REPLICA_ID = "replica ";

/** The replica that uses a server here; undefined for any other principal. */
export function askingReplica({ kind, id }: Principal): string | undefined {
  return kind === "replica" ? id.slice(REPLICA_ID.length).split(" ", 1)[0] : undefined;
}

/** Who signs in to servers that each user signs in to; undefined for the owner, who has the usual ones. */
export function signInUserOf({ kind, id, name }: Principal): SignInUser | undefined {
  const isOwner = kind === "stdio" || kind === "owner" || kind === "local";
  return isOwner ? undefined : { id, name };
}

/** The only client on standard input and output. */
export const STDIO_PRINCIPAL: Principal = {
  kind: "stdio",
  id: "stdio",
  name: "stdio",
  readOnly: false,
};
/** A client with the token that the workbench generated for its owner. */
export const OWNER_PRINCIPAL: Principal = {
  kind: "owner",
  id: "owner",
  name: "owner",
  readOnly: false,
};
/** The command line and the library: code that runs with the rights of the user. */
export const LOCAL_PRINCIPAL: Principal = {
  kind: "local",
  id: "local",
  name: "local",
  readOnly: false,
};
