/**
 * A real authorization server on the loopback interface, in the process of the test: oidc-provider,
 * with switches for what goes wrong in practice, and a record of what it was asked.
 */
import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Provider } from "oidc-provider";
import type { Disposables } from "../disposables.ts";
import { createProvider, type ProviderOptions } from "./provider.ts";
import { TokenRecord } from "./token-record.ts";

export interface AuthorizationServerOptions extends Omit<ProviderOptions, "issuer" | "record"> {
  /** The path of the issuer, as of a tenant: "" or "/tenant". */
  readonly path?: string;
  /** Changes the metadata document before it is sent. */
  readonly metadata?: (document: Record<string, unknown>) => Record<string, unknown>;
}

/**
 * What a request gets instead of an answer. A number is a status; `reset` closes the connection;
 * `hang` never answers.
 */
export type Fault = number | "reset" | "hang";

const METADATA_ROUTES = [
  "/.well-known/oauth-authorization-server",
  "/.well-known/openid-configuration",
];

export class AuthorizationServer {
  readonly issuer: string;
  /** Every token that was issued, and every request for one. */
  readonly record: TokenRecord;
  /** "METHOD /path" of every request, in order. */
  readonly requests: string[] = [];
  /** What requests for tokens get; undefined repairs it. */
  tokenFault: Fault | undefined;
  /** What every request gets, also for metadata; undefined repairs it. */
  fault: Fault | undefined;
  /** Sent with a status that is a fault. */
  retryAfter: string | undefined;
  /** Called when a request for tokens was processed; the answer waits for the promise, as that of a slow server does. */
  beforeTokenAnswer: (() => Promise<void>) | undefined;
  /** Called when tokens were issued, before they are sent; what it returns is called after that. */
  onTokensIssued: (() => () => void) | undefined;
  readonly #path: string;
  #handle: (request: IncomingMessage, response: ServerResponse) => Promise<void>;
  readonly #metadata: AuthorizationServerOptions["metadata"];
  #provider: Provider;

  constructor(
    issuer: string,
    record: TokenRecord,
    provider: Provider,
    { path = "", metadata }: AuthorizationServerOptions,
  ) {
    this.issuer = issuer;
    this.record = record;
    this.#path = path;
    this.#metadata = metadata;
    this.#provider = provider;
    this.#handle = provider.callback();
  }

  get tokenEndpoint(): string {
    return `${this.issuer}/token`;
  }

  /** Continues with a provider of the same issuer, which has other keys and knows no token. */
  replaceProvider(provider: Provider): void {
    this.#provider = provider;
    this.#handle = provider.callback();
  }

  /** Makes every access token invalid, as its expiry would; refresh tokens stay valid. */
  expireAccessTokens(): void {
    this.record.expireAccessTokens();
  }

  /** Takes back what users granted: no token works, and refreshing gives `invalid_grant`. */
  async revokeGrants(): Promise<void> {
    this.record.expireAccessTokens();
    for (const grantId of this.record.grantIds) {
      await this.#provider.RefreshToken.revokeByGrantId(grantId);
      await this.#provider.AccessToken.revokeByGrantId(grantId);
      const grant = await this.#provider.Grant.find(grantId);
      await grant?.destroy();
    }
  }

  /** True while the refresh token works: reuse detection revokes the whole family. */
  async isRefreshTokenAlive(refreshToken: string): Promise<boolean> {
    const found = await this.#provider.RefreshToken.find(refreshToken);
    return found !== undefined && found.consumed === undefined;
  }

  async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = request.url ?? "/";
    this.requests.push(`${request.method} ${url.split("?")[0]}`);
    if (this.fault !== undefined) return this.#fail(this.fault, request, response);
    if (url === `${this.#path}/token`) {
      if (this.tokenFault !== undefined) return this.#fail(this.tokenFault, request, response);
      this.#observeTokens(response);
    }
    const metadata = this.#metadataRoute(url);
    if (metadata !== undefined) return this.#answerMetadata(metadata, request, response);
    if (!url.startsWith(`${this.#path}/`)) return void response.writeHead(404).end();
    Object.assign(request, { originalUrl: url, url: url.slice(this.#path.length) });
    await this.#handle(request, response);
  }

  /** The provider's own route for a path of RFC 8414 or OpenID Connect Discovery. */
  #metadataRoute(url: string): string | undefined {
    const [oauth = "", openid = ""] = METADATA_ROUTES;
    if (url === `${oauth}${this.#path}`) return oauth;
    if (url === `${this.#path}${openid}`) return openid;
    return undefined;
  }

  async #answerMetadata(
    route: string,
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<void> {
    const change = this.#metadata;
    if (change !== undefined) {
      const end = response.end.bind(response);
      response.end = ((body: string) => {
        const text = JSON.stringify(change(JSON.parse(body) as Record<string, unknown>));
        response.setHeader("content-length", Buffer.byteLength(text));
        return end(text);
      }) as typeof response.end;
    }
    Object.assign(request, { originalUrl: `${this.#path}${route}`, url: route });
    await this.#handle(request, response);
  }

  #observeTokens(response: ServerResponse): void {
    const end = response.end.bind(response);
    response.end = ((body: string) => {
      const onSent = response.statusCode === 200 ? this.onTokensIssued?.() : undefined;
      const send = () => (onSent === undefined ? end(body) : end(body, onSent));
      if (this.beforeTokenAnswer === undefined) return send();
      void this.beforeTokenAnswer().then(send);
      return response;
    }) as typeof response.end;
  }

  #fail(fault: Fault, request: IncomingMessage, response: ServerResponse): void {
    this.record.failed(request);
    if (fault === "hang") return;
    if (fault === "reset") return void request.socket.destroy();
    const headers = this.retryAfter === undefined ? {} : { "retry-after": this.retryAfter };
    response.writeHead(fault, headers).end("not now");
  }
}

export async function startAuthorizationServer(
  disposables: Disposables,
  options: AuthorizationServerOptions = {},
): Promise<AuthorizationServer> {
  const http = createServer();
  const origin = await listen(http, disposables);
  const issuer = `${origin}${options.path ?? ""}`;
  const record = new TokenRecord();
  const provider = await createProvider({ ...options, issuer, record });
  const server = new AuthorizationServer(issuer, record, provider, options);
  http.on("request", (request, response) => {
    server.answer(request, response).catch(() => response.destroy());
  });
  return server;
}

/** Listens on any port of the loopback interface and returns the origin. */
export async function listen(http: Server, disposables: Disposables): Promise<string> {
  http.listen(0, "127.0.0.1");
  await once(http, "listening");
  disposables.defer(async () => {
    http.close();
    http.closeAllConnections();
    await once(http, "close");
  });
  return `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
}
