import { hash, timingSafeEqual } from "node:crypto";
import type { IncomingMessage } from "node:http";

import { TOKEN_PREFIX } from "../../access/tokens/token-format.ts";
import type { TokenVerdict } from "../../access/tokens/token-access.ts";
import type { ClusterLink } from "../../cluster/cluster-link.ts";
import { OWNER_PRINCIPAL, type Principal } from "../../calls/principal.ts";
import { type WorkbenchError, workbenchError } from "../../errors.ts";
import { type Address, authority } from "./address.ts";
import type { ProtectedResource } from "./protected-resource.ts";
import { ReplicaPrincipals } from "./replica-principals.ts";

/** How clients identify themselves. */
export interface Credentials {
  /** The token of the owner; undefined if every client is the owner. */
  readonly owner: string | undefined;
  /** The access tokens that the owner has created. */
  readonly tokens?: { find(token: string): TokenVerdict } | undefined;
  /** The users of an identity provider. */
  readonly users?: Users | undefined;
  /** The other replicas, which use servers of this one. */
  readonly cluster?: ClusterLink | undefined;
}

/** Finds out whom a token of an identity provider stands for. */
export interface Users {
  readonly resource: ProtectedResource;
  /** The hosts in the addresses that clients use, whatever is between them and the workbench. They may change. */
  readonly hosts: readonly string[];
  /** Undefined if this cannot be such a token, or there is no identity provider. */
  find(token: string): Identity | Promise<Identity> | undefined;
}

/** For whom a request is made, or why it is refused. */
export type Identity = Principal | WorkbenchError;

/**
 * Who may use the workbench, and as whom. A web page can make a browser send requests to this machine, even under
 * a name of its own that resolves here (DNS rebinding). It cannot choose the Host and Origin headers,
 * and it does not know the token. Names are compared as a whole with a list and never parsed, so user
 * names, trailing dots and `localhost.example.com` need no rules of their own.
 */
export class Access {
  readonly #hosts: ReadonlySet<string>;
  readonly #port: number;
  readonly #owner: Buffer | undefined;
  readonly #tokens: Credentials["tokens"];
  readonly #replicas: ReplicaPrincipals | undefined;
  readonly #users: Credentials["users"];

  /**
   * @param address where the workbench listens, with the port it was given
   * @param allowedHosts further `name` or `name:port` that clients may use
   */
  constructor(
    address: Address,
    allowedHosts: readonly string[],
    { owner, tokens, users, cluster }: Credentials,
  ) {
    this.#replicas = cluster && new ReplicaPrincipals(cluster);
    const { port, host } = address;
    this.#users = users;
    const own = ["localhost", "127.0.0.1", "[::1]"].map((name) => `${name}:${port}`);
    // Other replicas use the address that this one gives them.
    const advertised = cluster === undefined ? [] : [new URL(cluster.advertise).host];
    const allowed = [...allowedHosts, ...advertised].flatMap((name) => withPorts(name, port));
    const all = [...own, ...allowed, authority({ host, port })].map((name) => name.toLowerCase());
    const withoutPort = all.filter((name) => name.endsWith(":80")).map((name) => name.slice(0, -3));
    this.#hosts = new Set([...all, ...withoutPort]);
    this.#port = port;
    this.#owner = owner === undefined ? undefined : digest(owner);
    this.#tokens = tokens;
  }

  /** What clients without access learn about the identity provider. */
  get resource(): ProtectedResource | undefined {
    return this.#users?.resource;
  }

  /** Why a request is refused before anything else is checked. */
  foreign(request: IncomingMessage): WorkbenchError | undefined {
    const { host, origin } = request.headers;
    if (host === undefined || occurrences(request, "host") > 1 || !this.#isOurs(host, request))
      return workbenchError(
        "FORBIDDEN",
        { reason: "the Host header does not name this workbench" },
        "Use the address it printed at its start, or start it with --allow-host NAME",
      );
    if (origin === undefined) return undefined;
    const site = /^https?:\/\/(.+)$/.exec(origin)?.[1];
    if (site !== undefined && this.#isOurs(site, request)) return undefined;
    return workbenchError("FORBIDDEN", {
      reason: "requests from other web sites are not accepted",
    });
  }

  /** For whom a request is made, or why it is refused. */
  identify(request: IncomingMessage): Identity | Promise<Identity> {
    const presented = /^bearer +([\x21-\x7e]+) *$/i.exec(request.headers.authorization ?? "")?.[1];
    const replica = presented && this.#replicas?.find(presented);
    if (replica) return replica;
    const isToken = presented?.startsWith(TOKEN_PREFIX) === true;
    // Without authentication, a client that sends an access token is still held to it.
    if (this.#owner === undefined && !isToken) return OWNER_PRINCIPAL;
    if (presented === undefined) return unauthorized("a bearer token is required");
    if (occurrences(request, "authorization") !== 1) return unauthorized("the token is not valid");
    // Digests have equal length, and comparing them takes the same time wherever they differ.
    if (this.#owner !== undefined && timingSafeEqual(digest(presented), this.#owner))
      return OWNER_PRINCIPAL;
    const user = isToken ? undefined : this.#users?.find(presented);
    if (user !== undefined) return user;
    const found = this.#tokens?.find(presented) ?? "unknown";
    if (found === "unknown") return unauthorized("the token is not valid");
    return found === "expired" ? unauthorized("the token has expired") : found;
  }

  #isOurs(host: string, request: IncomingMessage): boolean {
    const name = host.toLowerCase();
    if (this.#hosts.has(name)) return true;
    for (const own of this.#users?.hosts ?? [])
      if (withPorts(own, this.#port).includes(name)) return true;
    // A workbench that listens on all addresses can be reached by any of them. A name that a web page
    // points here is never an address.
    const local = request.socket.localAddress?.replace(/^::ffff:(?=\d+\.)/, "");
    return local !== undefined && name === authority({ host: local, port: this.#port });
  }
}

function unauthorized(reason: string): WorkbenchError {
  return workbenchError("UNAUTHORIZED", { reason });
}

/** A proxy in front usually listens on a default port, which clients leave out. */
function withPorts(name: string, port: number): readonly string[] {
  return hasPort(name) ? [name] : [name, `${name}:80`, `${name}:443`, `${name}:${port}`];
}

function hasPort(name: string): boolean {
  return /:\d+$/.test(name);
}

function digest(text: string): Buffer {
  return hash("sha256", text, "buffer");
}

/** How often a header was sent; Node keeps only the first of some. */
function occurrences({ rawHeaders }: IncomingMessage, name: string): number {
  let count = 0;
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const header = rawHeaders[i] as string;
    if (header.length === name.length && header.toLowerCase() === name) count++;
  }
  return count;
}
