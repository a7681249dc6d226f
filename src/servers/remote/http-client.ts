import * as http from "node:http";
import * as https from "node:https";
import { urlToHttpOptions } from "node:url";

import type { Cancellation } from "./exchange.ts";
import { ACCEPTED_ENCODINGS, HttpResponse } from "./http-response.ts";
import { RemoteFailure, networkFailure } from "./remote-failure.ts";

/**
 * HTTP to one server.
 *
 * Built on node:http and not on `fetch`: over a kept connection to the same machine a small call
 * takes 0.2 ms here and 0.5 ms there, at a quarter of the CPU time; it has a moment at which the
 * connection stands, so that a limit can be set on that alone and a request that was never sent
 * can be told from one that was; it follows no redirect by itself; and it leaves decompression to
 * us, where it can be capped.
 */

/**
 * Shorter than the five seconds after which common servers close an idle connection: a request sent
 * into one that is just being closed would be lost without anybody knowing whether it was read.
 */
const KEEP_IDLE_MS = 4000;
/** How often the system asks a silent peer whether it is still there, so that dead streams end. */
const PROBE_MS = 30_000;
/** Node gives each address of a host a quarter of a second, less than a distant server may need. */
const NEXT_ADDRESS_MS = 1000;
/**
 * How much of the time for the whole handshake the connection may take. Less than all of it, so that
 * what is told is that there was no connection, and not only that there was no answer.
 */
const CONNECT_SHARE = 0.9;
const MAX_REDIRECTS = 5;

export interface HttpRequest {
  readonly method: "POST" | "GET" | "DELETE";
  readonly headers: http.OutgoingHttpHeaders;
  readonly body?: string;
  /** Another address of the same origin. */
  readonly url?: URL;
}

export class HttpClient {
  readonly #agent: http.Agent;
  readonly #secure: boolean;
  readonly #connectMs: number;
  readonly #headers: http.OutgoingHttpHeaders;
  #url: URL;

  constructor(url: URL, headers: Readonly<Record<string, string>>, connectMs: number) {
    this.#url = url;
    this.#connectMs = Math.ceil(connectMs * CONNECT_SHARE);
    this.#secure = url.protocol === "https:";
    this.#headers = ownHeaders(headers);
    const options: https.AgentOptions = {
      keepAlive: true,
      keepAliveMsecs: PROBE_MS,
      timeout: KEEP_IDLE_MS,
      autoSelectFamilyAttemptTimeout: NEXT_ADDRESS_MS,
      // Said explicitly, because a variable of the environment can turn the default off.
      rejectUnauthorized: true,
    };
    this.#agent = this.#secure ? new https.Agent(options) : new http.Agent(options);
  }

  get url(): URL {
    return this.#url;
  }

  get host(): string {
    return this.#url.host;
  }

  /** Sends a request and gives the response once its head is there. Rejects with a RemoteFailure. */
  async request(request: HttpRequest, cancellation: Cancellation): Promise<HttpResponse> {
    let url = request.url ?? this.#url;
    for (let redirects = 0; ; redirects++) {
      const response = await this.#send(url, request, cancellation);
      const target = redirectTarget(response, request.method, url);
      if (target === undefined) return response;
      response.discard();
      if (target.origin !== url.origin)
        throw new RemoteFailure("redirectElsewhere", this.host, target.origin);
      if (redirects === MAX_REDIRECTS)
        throw new RemoteFailure("tooManyRedirects", this.host, String(MAX_REDIRECTS));
      // A move for good saves the detour from now on.
      const permanent = response.status === 301 || response.status === 308;
      if (permanent && url === this.#url) this.#url = target;
      url = target;
    }
  }

  /** Closes all connections. */
  close(): void {
    this.#agent.destroy();
  }

  #send(
    url: URL,
    { method, headers, body }: HttpRequest,
    cancellation: Cancellation,
  ): Promise<HttpResponse> {
    return new Promise((resolve, reject) => {
      let connected = false;
      let timer: NodeJS.Timeout | undefined;
      const fail = (error: unknown): void => {
        clearTimeout(timer);
        reject(
          error instanceof RemoteFailure ? error : networkFailure(error, this.host, connected),
        );
      };
      const options: https.RequestOptions = {
        ...addressOf(url),
        method,
        agent: this.#agent,
        headers: { ...this.#headers, ...headers },
      };
      let request: http.ClientRequest;
      try {
        request = (this.#secure ? https : http).request(options);
      } catch (error) {
        fail(error);
        return;
      }
      request.on("socket", (socket) => {
        connected = !socket.connecting;
        if (connected) return;
        timer = setTimeout(() => {
          const failure = new RemoteFailure("connectTimeout", this.host, String(this.#connectMs));
          request.destroy(failure);
        }, this.#connectMs);
        socket.once(this.#secure ? "secureConnect" : "connect", () => {
          connected = true;
          clearTimeout(timer);
          socket.setKeepAlive(true, PROBE_MS);
        });
      });
      request.on("error", fail);
      request.on("response", (message) => resolve(new HttpResponse(message, this.host)));
      // A response that is no longer wanted is ended with its connection.
      cancellation.onCancel(() => request.destroy());
      request.end(body);
    });
  }
}

/** Worked out once for each address, because every request needs it. */
function addressOf(url: URL): https.RequestOptions {
  const known = addresses.get(url);
  if (known !== undefined) return known;
  const { protocol, hostname, port, path, auth } = urlToHttpOptions(url);
  const address = Object.fromEntries(
    Object.entries({ protocol, hostname, port, path, auth }).filter(
      ([, value]) => value !== undefined,
    ),
  );
  addresses.set(url, address);
  return address;
}

const addresses = new WeakMap<URL, https.RequestOptions>();

/** Headers that describe the connection or the body are ours to set. */
const RESERVED = new Set(["connection", "content-length", "transfer-encoding", "keep-alive"]);

/** Names in lower case, so that what we set ourselves replaces what is configured. */
function ownHeaders(configured: Readonly<Record<string, string>>): http.OutgoingHttpHeaders {
  const headers: http.OutgoingHttpHeaders = {
    "user-agent": "mcp-workbench",
    "accept-encoding": ACCEPTED_ENCODINGS,
  };
  for (const [name, value] of Object.entries(configured)) {
    const key = name.toLowerCase();
    if (!RESERVED.has(key)) headers[key] = value;
  }
  return headers;
}

/**
 * Where a response redirects to. A request with a body is repeated as it is, because a redirect
 * says that it was not executed; "see other" says the opposite and is not followed for it.
 */
function redirectTarget(response: HttpResponse, method: string, from: URL): URL | undefined {
  const { status, headers } = response;
  const follows = status === 301 || status === 302 || status === 307 || status === 308;
  if (!follows && !(status === 303 && method === "GET")) return undefined;
  if (headers.location === undefined || !URL.canParse(headers.location, from.href))
    return undefined;
  return new URL(headers.location, from);
}
