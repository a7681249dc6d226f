import { randomBytes } from "node:crypto";
import { type IncomingMessage, type Server, type ServerResponse, createServer } from "node:http";
import type { AddressInfo, Socket } from "node:net";

import { workbenchError } from "../errors.ts";
import { codeOf } from "../text/error-code.ts";
import { type Awaited, type Expected, digest, expectItem, take } from "./expected.ts";
import { LOGIN_PORTS, redirectUriOf } from "./login-ports.ts";
import { sendPage, sendRedirect } from "./login-pages.ts";
import type { PendingLogin } from "./types.ts";

/** How long a link can be opened, and how long a browser may take to return. */
export const MAX_LOGIN_MS = 10 * 60_000;
const LINK_PATH = "/login/";
const MAX_CONNECTIONS = 50;
const HEAD_MS = 10_000;

export interface LoginListenerOptions {
  /** Tried in this order, then any free port. */
  readonly ports?: readonly number[];
  /** The configured redirect URI, which determines the address and is used as it is. */
  readonly redirectUri?: string | undefined;
  /** False if an open listener does not keep the process running. */
  readonly keepsAlive?: boolean;
  readonly maxLoginMs?: number;
}

/** A link of our own, for one use, that leads to the authorization server. */
export interface LoginLink {
  readonly url: string;
  /** Whether it has been used: a browser is on its way. */
  readonly isUsed: boolean;
  /** Resolves when the login is complete; rejects if it failed, was cancelled or took too long. */
  readonly done: Promise<void>;
  /** Gives it the full time again, because it is shown to the user once more. */
  extend(): void;
  /** Makes the link useless. */
  cancel(): void;
}

interface ExpectedLink extends Expected {
  readonly open: () => Promise<string>;
}

interface ExpectedReturn extends Expected {
  readonly finish: (returned: string) => Promise<void>;
}

/** Opens the address on this machine to which browsers return from a login. */
export async function openLoginListener(
  options: LoginListenerOptions = {},
): Promise<LoginListener> {
  const { redirectUri, ports = LOGIN_PORTS } = options;
  const server = createServer({ headersTimeout: HEAD_MS, requestTimeout: HEAD_MS });
  server.maxConnections = MAX_CONNECTIONS;
  if (options.keepsAlive === false) server.unref();
  const candidates = redirectUri === undefined ? [...ports, 0] : [portOf(redirectUri)];
  for (const port of candidates) {
    const bound = await listen(server, port);
    if (bound !== undefined)
      return new LoginListener(server, redirectUri ?? redirectUriOf(bound), bound, options);
  }
  const address = `127.0.0.1:${candidates.join(", ")}`;
  const reason = "a different program uses the port of oauth.redirectUri";
  throw workbenchError("CANNOT_LISTEN", { address, reason });
}

/**
 * The address on this machine to which browsers return from a login, and our own links to begin
 * one. It answers nothing else, and closes when no login is pending.
 */
export class LoginListener {
  /** Where authorization servers send the browser back to. */
  readonly redirectUri: string;
  readonly #server: Server;
  readonly #hosts: ReadonlySet<string>;
  readonly #origin: string;
  readonly #path: string;
  readonly #maxMs: number;
  readonly #links = new Set<ExpectedLink>();
  readonly #returns = new Set<ExpectedReturn>();
  /** Connections that have not sent a request; browsers open some in advance. */
  readonly #silent = new Set<Socket>();
  #isClosed = false;

  constructor(server: Server, redirectUri: string, port: number, options: LoginListenerOptions) {
    const { host, pathname } = new URL(redirectUri);
    this.redirectUri = redirectUri;
    this.#server = server;
    this.#origin = `http://127.0.0.1:${port}`;
    this.#hosts = new Set([`127.0.0.1:${port}`, host]);
    this.#path = pathname;
    this.#maxMs = options.maxLoginMs ?? MAX_LOGIN_MS;
    server.on("connection", (socket: Socket) => {
      this.#silent.add(socket);
      socket.once("close", () => this.#silent.delete(socket));
    });
    server.on("request", (request, response) => {
      this.#silent.delete(request.socket);
      void this.#handle(request, response);
    });
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Waits for the browser to return from a login. Rejects if the login fails or takes too long. */
  expect(login: PendingLogin): Promise<void> {
    return this.#await<ExpectedReturn>(this.#returns, (end) => ({
      secret: digest(login.state),
      isTaken: false,
      end,
      finish: (returned) => login.finish(returned),
    })).done;
  }

  /** Makes a link; `begin` is called with the redirect URI when a browser opens it. */
  link(begin: (redirectUri: string) => Promise<PendingLogin>): LoginLink {
    const id = randomBytes(16).toString("base64url");
    let isUsed = false;
    const { item, done, extend } = this.#await<ExpectedLink>(this.#links, (end) => ({
      secret: digest(id),
      isTaken: false,
      end,
      open: async () => {
        const login = await begin(this.redirectUri);
        isUsed = true;
        this.expect(login).then(() => end(), end);
        return login.url;
      },
    }));
    return {
      url: `${this.#origin}${LINK_PATH}${id}`,
      get isUsed() {
        return isUsed;
      },
      done,
      extend,
      cancel: () => item.end(new Error("the sign-in was cancelled")),
    };
  }

  /** Ends all pending logins. */
  close(): void {
    for (const item of [...this.#links, ...this.#returns])
      item.end(new Error("the program that asked for the sign-in has ended"));
    this.#close();
  }

  /** Adds what a browser may come for; the listener ends with the last one. */
  #await<T extends Expected>(items: Set<T>, make: (end: Expected["end"]) => T): Awaited<T> {
    return expectItem(items, this.#maxMs, make, () => {
      if (this.#links.size === 0 && this.#returns.size === 0) this.#close();
    });
  }

  async #handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method, headers, url = "" } = request;
    const isOurs = method === "GET" && this.#hosts.has(headers.host ?? "");
    if (!isOurs || !URL.canParse(url, this.#origin)) return sendPage(response, "gone");
    const { pathname, search, searchParams } = new URL(url, this.#origin);
    // A browser that only guesses what the user will open must not use the link up.
    const isGuess = String(headers["sec-purpose"] ?? "").includes("prefetch");
    if (pathname.startsWith(LINK_PATH) && isGuess) sendPage(response, "unavailable");
    else if (pathname.startsWith(LINK_PATH))
      await this.#open(pathname.slice(LINK_PATH.length), response);
    else if (pathname === this.#path)
      await this.#finish(searchParams.getAll("state"), search, response);
    else sendPage(response, "gone");
  }

  async #open(id: string, response: ServerResponse): Promise<void> {
    const link = take(this.#links, id);
    if (link === undefined) return sendPage(response, "gone");
    try {
      sendRedirect(response, await link.open());
    } catch {
      // The link was of no use, so it can be opened again.
      link.isTaken = false;
      sendPage(response, "unavailable");
    }
  }

  async #finish(
    states: readonly string[],
    search: string,
    response: ServerResponse,
  ): Promise<void> {
    const [state = ""] = states;
    const login = states.length === 1 ? take(this.#returns, state) : undefined;
    if (login === undefined) return sendPage(response, "gone");
    try {
      await login.finish(`${this.redirectUri}${search}`);
      sendPage(response, "signedIn");
      login.end();
    } catch (error) {
      sendPage(response, "notSignedIn");
      login.end(error);
    }
  }

  #close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#server.close();
    // Only those that have been used are closed by the line before, and the program would wait for the rest.
    for (const socket of this.#silent) socket.destroy();
  }
}

/** The port it listens on; undefined if that is in use. */
function listen(server: Server, port: number): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const onError = (error: Error): void => {
      server.removeListener("listening", onListening);
      const code = codeOf(error);
      if (code === "EADDRINUSE" || code === "EACCES") resolve(undefined);
      else reject(error);
    };
    const onListening = (): void => {
      server.removeListener("error", onError);
      resolve((server.address() as AddressInfo).port);
    };
    server.once("error", onError);
    server.once("listening", onListening);
    server.listen({ port, host: "127.0.0.1", exclusive: true });
  });
}

/** Only an http address of this machine can be listened on. */
function portOf(redirectUri: string): number {
  const { protocol, hostname, port } = new URL(redirectUri);
  if (protocol === "http:" && ["127.0.0.1", "localhost"].includes(hostname))
    return port === "" ? 80 : Number(port);
  throw workbenchError("CANNOT_LISTEN", {
    address: redirectUri,
    reason: "oauth.redirectUri is not an http address of this machine (127.0.0.1 or localhost)",
  });
}
