/**
 * An MCP server in both eras that only answers with a token of an authorization server. It counts
 * what it executed, so that tests notice a call that was sent twice.
 */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { buffer } from "node:stream/consumers";
import type { Disposables } from "../disposables.ts";
import { type AuthorizationServer, listen } from "./authorization-server.ts";
import { mcpHandler, type Served } from "./protected-tools.ts";
import type { IssuedToken, TokenRecord } from "./token-record.ts";

export interface ProtectedServerOptions {
  readonly authorization: AuthorizationServer;
  /** "calls": everything except `tools/call` is open; "stream": everything except GET. "all" by default. */
  readonly protects?: "all" | "calls" | "stream";
  /** Which eras it speaks; both if left out. `sse` is the older transport, at `/sse`. */
  readonly era?: "legacy" | "modern" | "sse";
  /** Whether each account has a tool, a resource and instructions of its own; not with every `era`. */
  readonly isPersonal?: boolean;
  /** The path of the MCP endpoint. */
  readonly path?: string;
  /** The scope that challenges name. oidc-provider grants nothing to a request without a scope. */
  readonly challengeScope?: string;
  /** Whether the challenge names the resource metadata; the client has to guess otherwise. */
  readonly namesMetadata?: boolean;
  /** Changes the resource metadata; undefined removes it. */
  readonly metadata?: (document: Record<string, unknown>) => object | undefined;
}

/** The tool that needs a scope which a first sign-in does not have. */
export const WRITE_SCOPE = "mcp:write";

export class ProtectedServer {
  readonly url: string;
  /** How often each call was executed, by the argument `id`. */
  readonly executed = new Map<string, number>();
  /** The access tokens it saw, valid or not, in order and without repetitions. */
  readonly tokens = new Set<string>();
  /** "METHOD /path" of every request. */
  readonly requests: string[] = [];
  /** How many requests were answered with 401, and with 403. */
  readonly rejected = { 401: 0, 403: 0 };
  /** Called before a request with a valid token is handled. */
  onAccepted: (() => Promise<void>) | undefined;
  readonly #options: ProtectedServerOptions;
  readonly #origin: string;
  readonly #path: string;
  readonly #mcp: Served;

  constructor(origin: string, options: ProtectedServerOptions) {
    this.#options = options;
    this.#origin = origin;
    this.#path = options.path ?? (options.era === "sse" ? "/sse" : "/mcp");
    this.url = `${origin}${this.#path}`;
    const onExecuted = (id: string): void => {
      this.executed.set(id, (this.executed.get(id) ?? 0) + 1);
    };
    this.#mcp = mcpHandler(options.era, onExecuted, options.isPersonal);
  }

  /** Calls that were executed, and those among them that were executed more than once. */
  get calls(): { readonly executed: number; readonly repeated: number } {
    const counts = [...this.executed.values()];
    return { executed: counts.length, repeated: counts.filter((count) => count > 1).length };
  }

  get #tokens(): TokenRecord {
    return this.#options.authorization.record;
  }

  async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname } = new URL(request.url ?? "/", this.#origin);
    this.requests.push(`${request.method} ${pathname}`);
    if (pathname.startsWith("/.well-known/")) return this.#answerMetadata(pathname, response);
    if (pathname !== this.#path && !this.#mcp.paths.includes(pathname))
      return void response.writeHead(404).end();
    const body = request.method === "POST" ? await buffer(request) : undefined;
    const message = body === undefined ? {} : parse(body);
    const sent = /^Bearer (.+)$/i.exec(request.headers.authorization ?? "")?.[1];
    if (sent !== undefined) this.tokens.add(sent);
    const token = sent === undefined ? undefined : this.#tokens.find(sent);
    if (token === undefined && this.#isProtected(request, message, sent))
      return this.#challenge(response, 401, sent === undefined ? {} : { error: "invalid_token" });
    if (token !== undefined && needsWriteScope(message) && !token.scopes.includes(WRITE_SCOPE))
      return this.#challenge(response, 403, { error: "insufficient_scope", scope: WRITE_SCOPE });
    if (token !== undefined) await this.onAccepted?.();
    await this.#mcp.handle(request, response, body, token);
  }

  /** A token that is sent has to be valid, also where none is needed. */
  #isProtected(request: IncomingMessage, { method }: Message, sent: string | undefined): boolean {
    const { protects = "all" } = this.#options;
    if (protects === "stream") return request.method === "GET" || sent !== undefined;
    return protects === "all" || method === "tools/call" || sent !== undefined;
  }

  #challenge(response: ServerResponse, status: 401 | 403, details: Record<string, string>): void {
    this.rejected[status]++;
    const { challengeScope: scope = "mcp:read", namesMetadata = true } = this.#options;
    const metadata = `${this.#origin}/.well-known/oauth-protected-resource${this.#path}`;
    const parameters = Object.entries({
      scope,
      ...details,
      ...(namesMetadata && { resource_metadata: metadata }),
    }).map(([name, value]) => `${name}="${value}"`);
    response
      .writeHead(status, { "www-authenticate": `Bearer ${parameters.join(", ")}`.trimEnd() })
      .end();
  }

  #answerMetadata(pathname: string, response: ServerResponse): void {
    const { metadata = (document) => document, authorization } = this.#options;
    const document = metadata({
      resource: this.url,
      authorization_servers: [authorization.issuer],
      bearer_methods_supported: ["header"],
    });
    const isKnown = pathname === `/.well-known/oauth-protected-resource${this.#path}`;
    if (!isKnown || document === undefined) return void response.writeHead(404).end();
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(document));
  }
}

interface Message {
  readonly method?: string;
  readonly params?: { readonly name?: string };
}

function parse(body: Buffer): Message {
  try {
    return JSON.parse(body.toString()) as Message;
  } catch {
    return {};
  }
}

const needsWriteScope = ({ method, params }: Message): boolean =>
  method === "tools/call" && params?.name === "write";

export async function startProtectedServer(
  disposables: Disposables,
  options: ProtectedServerOptions,
): Promise<ProtectedServer> {
  const http = createServer();
  const server = new ProtectedServer(await listen(http, disposables), options);
  http.on("request", (request, response) => {
    server.answer(request, response).catch(() => response.destroy());
  });
  return server;
}

export type { IssuedToken };
