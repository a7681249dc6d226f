import { isObject } from "../text/json.ts";
import type { ClusterLink } from "./cluster-link.ts";

/** With it, a replica uses a server that another one runs. Access tokens and those of users begin differently. */
export const SERVER_TOKEN_PREFIX = "mwbr_";
const PURPOSE = "use of a server";

/** Which replica uses which server. */
export interface ServerUse {
  readonly from: string;
  readonly toolbox: string;
  readonly server: string;
}

/** A token for one server of one replica; it is of no use at any other, or when one of them has been started again. */
export function serverToken(
  link: ClusterLink,
  to: string,
  { toolbox, server }: Omit<ServerUse, "from">,
): string {
  const use = { from: link.replica, to, toolbox, server };
  return SERVER_TOKEN_PREFIX + link.seal(JSON.stringify(use), PURPOSE);
}

/** What a token allows here; undefined if it is not one for this replica. */
export function serverUseIn(link: ClusterLink, token: string): ServerUse | undefined {
  if (!token.startsWith(SERVER_TOKEN_PREFIX)) return undefined;
  const text = link.open(token.slice(SERVER_TOKEN_PREFIX.length), PURPOSE);
  const use: unknown = text === undefined ? undefined : JSON.parse(text);
  if (!isObject(use) || use["to"] !== link.replica) return undefined;
  const { from, toolbox, server } = use;
  if (typeof from !== "string" || typeof toolbox !== "string" || typeof server !== "string")
    return undefined;
  return { from, toolbox, server };
}
