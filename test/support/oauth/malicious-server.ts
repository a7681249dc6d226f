/**
 * An MCP server that is its own authorization server, and lies about it. What a client must not
 * believe points to a canary; a test fails if the canary gets a single request.
 */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { buffer } from "node:stream/consumers";
import type { Disposables } from "../disposables.ts";
import { listen } from "./authorization-server.ts";

type Document = Readonly<Record<string, unknown>>;

/** What is sent instead of a document. */
export type Answer =
  | Document
  | { readonly redirect: string; readonly status: 302 | 307 | 308 }
  | { readonly text: string };

/** The lies; what is left out is honest. */
export interface Lies {
  /** The header of a rejected request. */
  readonly challenge?: string;
  readonly resource?: (honest: Document) => Answer;
  readonly metadata?: (honest: Document) => Answer;
  readonly registration?: () => Answer;
  readonly token?: () => Answer;
  /** Changes the address to which the browser is sent back. */
  readonly callback?: (url: URL) => void;
}

export interface MaliciousServer {
  readonly url: string;
  readonly origin: string;
  /** "METHOD /path" of every request. */
  readonly requests: readonly string[];
}

export interface Canary {
  readonly origin: string;
  /** The port, to be named with a different host. */
  readonly port: string;
  /** Every request: method, path, headers and body. */
  readonly requests: readonly string[];
}

export async function startCanary(disposables: Disposables): Promise<Canary> {
  const requests: string[] = [];
  const http = createServer((request, response) => {
    void buffer(request).then((body) => {
      requests.push(
        `${request.method} ${request.url} ${JSON.stringify(request.headers)} ${body.toString()}`,
      );
      response.writeHead(404).end();
    });
  });
  const origin = await listen(http, disposables);
  return { origin, port: new URL(origin).port, requests };
}

export async function startMaliciousServer(
  disposables: Disposables,
  liesOf: (origin: string) => Lies,
): Promise<MaliciousServer> {
  const http = createServer();
  const origin = await listen(http, disposables);
  const lies = liesOf(origin);
  const requests: string[] = [];
  http.on("request", (request: IncomingMessage, response: ServerResponse) => {
    requests.push(`${request.method} ${request.url?.split("?")[0]}`);
    answer(request, response, origin, lies).catch(() => response.destroy());
  });
  return { url: `${origin}/mcp`, origin, requests };
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  origin: string,
  lies: Lies,
): Promise<void> {
  const url = new URL(request.url ?? "/", origin);
  switch (url.pathname) {
    case "/mcp": {
      const metadata = `${origin}/.well-known/oauth-protected-resource/mcp`;
      const challenge = lies.challenge ?? `Bearer resource_metadata="${metadata}"`;
      return void response.writeHead(401, { "www-authenticate": challenge }).end();
    }
    case "/.well-known/oauth-protected-resource/mcp": {
      const honest = { resource: `${origin}/mcp`, authorization_servers: [origin] };
      return send(response, lies.resource?.(honest) ?? honest);
    }
    case "/.well-known/oauth-authorization-server": {
      const honest = metadataOf(origin);
      return send(response, lies.metadata?.(honest) ?? honest);
    }
    case "/register": {
      const body = JSON.parse((await buffer(request)).toString()) as Document;
      const honest = { ...body, client_id: "victim", token_endpoint_auth_method: "none" };
      return send(response, lies.registration?.() ?? honest, 201);
    }
    case "/authorize": {
      const callback = new URL(url.searchParams.get("redirect_uri") ?? "");
      callback.searchParams.set("code", "code-for-the-victim");
      callback.searchParams.set("state", url.searchParams.get("state") ?? "");
      callback.searchParams.set("iss", origin);
      lies.callback?.(callback);
      return void response.writeHead(302, { location: callback.href }).end();
    }
    case "/token": {
      const honest = { access_token: "worthless", token_type: "Bearer", expires_in: 3600 };
      return send(response, lies.token?.() ?? honest);
    }
    default:
      return void response.writeHead(404).end();
  }
}

/** The metadata of an honest authorization server at this origin. */
export function metadataOf(origin: string): Document {
  return {
    issuer: origin,
    authorization_endpoint: `${origin}/authorize`,
    token_endpoint: `${origin}/token`,
    registration_endpoint: `${origin}/register`,
    response_types_supported: ["code"],
    grant_types_supported: ["authorization_code", "refresh_token"],
    code_challenge_methods_supported: ["S256"],
    token_endpoint_auth_methods_supported: ["none"],
    authorization_response_iss_parameter_supported: true,
  };
}

function send(response: ServerResponse, answer: Answer, status = 200): void {
  if ("redirect" in answer && "status" in answer)
    return void response
      .writeHead(Number(answer["status"]), { location: String(answer["redirect"]) })
      .end();
  const text = "text" in answer ? String(answer["text"]) : JSON.stringify(answer);
  response.writeHead(status, { "content-type": "application/json" }).end(text);
}
