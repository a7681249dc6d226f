import type { IncomingMessage, ServerResponse } from "node:http";

import type { TargetSignIn } from "../../calls/target-sign-in.ts";
import type { ClusterLink } from "../../cluster/cluster-link.ts";
import { replicaPlace } from "../../cluster/replica-place.ts";
import { serverKey } from "../../config/server-key.ts";
import { PublicLogins } from "../../sign-in/public-logins.ts";
import type { LinkSource, NewLink } from "./link-source.ts";

/** Links to the address of the workbench, for users who sign in for themselves. */
export class PublicLinks implements LinkSource {
  readonly #logins: PublicLogins;
  readonly #address: () => string | undefined;

  constructor(address: () => string | undefined, cluster?: ClusterLink) {
    this.#address = address;
    this.#logins = new PublicLogins(address, cluster && { here: () => replicaPlace(cluster) });
  }

  async open({ user, place, origin }: TargetSignIn): Promise<NewLink | undefined> {
    const address = this.#address();
    if (user === undefined || address === undefined) return undefined;
    const server = serverKey(place.toolbox, place.server);
    return (begin) => this.#logins.link({ server, origin, user: user.name }, address, begin);
  }

  handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    return this.#logins.handle(request, response);
  }

  close(): void {
    this.#logins.close();
  }
}
