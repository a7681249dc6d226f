import { hash, timingSafeEqual } from "node:crypto";
import type { IncomingMessage } from "node:http";

import { type WorkbenchError, workbenchError } from "../../errors.ts";
import { type Address, authority } from "./address.ts";

/**
 * Who may use the workbench. A web page can make a browser send requests to this machine, even under
 * a name of its own that resolves here (DNS rebinding). It cannot choose the Host and Origin headers,
 * and it does not know the token. Names are compared as a whole with a list and never parsed, so user
 * names, trailing dots and `localhost.example.com` need no rules of their own.
 */
export class Access {
  readonly #hosts: ReadonlySet<string>;
  readonly #port: number;
  readonly #token: Buffer | undefined;

  /**
   * @param address where the workbench listens, with the port it was given
   * @param allowedHosts further `name` or `name:port` that clients may use
   * @param token what clients must send; undefined if nothing
   */
  constructor(address: Address, allowedHosts: readonly string[], token: string | undefined) {
    const { port, host } = address;
    const own = ["localhost", "127.0.0.1", "[::1]"].map((name) => `${name}:${port}`);
    // A proxy in front usually listens on a default port, which clients leave out.
    const allowed = allowedHosts.flatMap((name) =>
      hasPort(name) ? name : [name, `${name}:80`, `${name}:443`, `${name}:${port}`],
    );
    const all = [...own, ...allowed, authority({ host, port })].map((name) => name.toLowerCase());
    const withoutPort = all.filter((name) => name.endsWith(":80")).map((name) => name.slice(0, -3));
    this.#hosts = new Set([...all, ...withoutPort]);
    this.#port = port;
    this.#token = token === undefined ? undefined : digest(token);
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

  /** Why the client may not use the workbench. */
  unauthorized(request: IncomingMessage): WorkbenchError | undefined {
    if (this.#token === undefined) return undefined;
    const presented = /^bearer +([\x21-\x7e]+) *$/i.exec(request.headers.authorization ?? "")?.[1];
    const once = occurrences(request, "authorization") === 1;
    // Digests have equal length, and comparing them takes the same time wherever they differ.
    if (presented !== undefined && once && timingSafeEqual(digest(presented), this.#token))
      return undefined;
    return workbenchError("UNAUTHORIZED", {
      reason: presented === undefined ? "a bearer token is required" : "the token is not valid",
    });
  }

  #isOurs(host: string, request: IncomingMessage): boolean {
    const name = host.toLowerCase();
    if (this.#hosts.has(name)) return true;
    // A workbench that listens on all addresses can be reached by any of them. A name that a web page
    // points here is never an address.
    const local = request.socket.localAddress?.replace(/^::ffff:(?=\d+\.)/, "");
    return local !== undefined && name === authority({ host: local, port: this.#port });
  }
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
