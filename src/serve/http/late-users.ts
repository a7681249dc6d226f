import { isDeepStrictEqual } from "node:util";

import type { UserAccess, UserEvents } from "../../access/users/user-access.ts";
import type { IdentityProvider } from "../../config/types.ts";
import { isLoopback } from "../../text/loopback.ts";
import type { Workbench } from "../../workbench/workbench.ts";
import type { Identity, Users } from "./access.ts";
import { announcedAddresses } from "./public-address.ts";
import { ProtectedResource } from "./protected-resource.ts";

/** A signed JSON Web Token: three parts. */
const SIGNED_TOKEN = /^[\w-]+\.[\w-]+\.[\w-]+$/;
/** How often it is checked whether the configuration still has the same identity provider. */
const CHECK_MS = 250;

/** The users of the identity provider in the configuration. The code is loaded with the first token. */
export class LateUsers implements Users {
  readonly resource: ProtectedResource;
  readonly #workbench: Workbench;
  readonly #events: UserEvents;
  #provider: IdentityProvider | undefined;
  #loading: Promise<UserAccess> | undefined;
  #access: UserAccess | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(workbench: Workbench, events: UserEvents) {
    this.#workbench = workbench;
    this.#events = events;
    this.resource = new ProtectedResource(() => workbench.settings.http.oauth);
  }

  get hosts(): readonly string[] {
    return announcedAddresses(this.#workbench.settings.http).map((address) => {
      const { host, hostname } = new URL(address);
      // A client that uses this name may be anywhere.
      if (!isLoopback(hostname)) this.#workbench.host.areClientsLocal = false;
      return host;
    });
  }

  find(token: string): Identity | Promise<Identity> | undefined {
    this.#follow();
    if (this.#provider === undefined || !SIGNED_TOKEN.test(token)) return undefined;
    if (this.#access !== undefined) return this.#access.find(token);
    return this.#load(this.#provider).then((access) => access.find(token));
  }

  close(): void {
    clearInterval(this.#timer);
    this.#end();
  }

  /** Users of a different identity provider, or with different scopes, have no access any longer. */
  #follow(): void {
    const { oauth } = this.#workbench.settings.http;
    if (oauth === this.#provider) return;
    if (!isDeepStrictEqual(oauth, this.#provider)) this.#end();
    this.#provider = oauth;
  }

  #load(provider: IdentityProvider): Promise<UserAccess> {
    this.#timer ??= setInterval(() => this.#follow(), CHECK_MS).unref();
    this.#loading ??= this.#create(provider);
    return this.#loading;
  }

  async #create(provider: IdentityProvider): Promise<UserAccess> {
    const { UserAccess } = await import("../../access/users/user-access.ts");
    const { settings, host } = this.#workbench;
    const idleMs = (): number => this.#workbench.settings.http.sessionIdleMs;
    const created = new UserAccess({ provider, events: this.#events, log: host.log, idleMs });
    // The configuration may have changed in the meantime.
    if (settings.http.oauth === this.#provider) this.#access = created;
    return created;
  }

  #end(): void {
    const loading = this.#loading;
    this.#loading = undefined;
    this.#access = undefined;
    void loading?.then(
      (access) => access.close(),
      () => {},
    );
  }
}
