import { type Principal, REPLICA_ID } from "../../calls/principal.ts";
import type { ClusterLink } from "../../cluster/cluster-link.ts";
import { serverUseIn } from "../../cluster/server-token.ts";

/**
 * Replicas that pass calls to servers which run here. They have decided who may call what, so they may use the whole
 * server, and nothing else.
 */
export class ReplicaPrincipals {
  readonly #link: ClusterLink;
  readonly #known = new Map<string, Principal>();

  constructor(link: ClusterLink) {
    this.#link = link;
  }

  /** Undefined if no replica has made this token for this one. */
  find(token: string): Principal | undefined {
    const use = serverUseIn(this.#link, token);
    if (use === undefined) return undefined;
    const servers = [`${use.toolbox}/${use.server}`];
    const id = `${REPLICA_ID}${use.from} ${servers[0]}`;
    const principal = this.#known.get(id) ?? {
      kind: "replica" as const,
      id,
      name: `replica ${use.from}`,
      toolboxes: [],
      servers,
      readOnly: false,
    };
    this.#known.set(id, principal);
    return principal;
  }
}
