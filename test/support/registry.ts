/** A registry with the API of the official one (v0.1), on this machine. */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

import type { Disposables } from "./disposables.ts";

export interface FixtureRegistry {
  readonly url: string;
  /** The requests it got: method, path with query, and the token. */
  readonly requests: { readonly path: string; readonly token: string | undefined }[];
  /** The entries, which tests change. */
  readonly entries: object[];
  /** Answers instead of the registry; returns false to leave it to the registry. */
  answer?: (path: string, response: ServerResponse) => boolean;
  /** Files by path, such as bundles. */
  readonly files: Map<string, Buffer>;
}

export interface RegistryOptions {
  readonly token?: string;
}

/** Starts it; it ends with the test. */
export async function startRegistry(
  disposables: Disposables,
  { token }: RegistryOptions = {},
): Promise<FixtureRegistry> {
  const server = createServer((request, response) => handle(request, response));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  disposables.defer(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  const { port } = server.address() as AddressInfo;
  const registry: FixtureRegistry = {
    url: `http://127.0.0.1:${port}`,
    requests: [],
    entries: [],
    files: new Map(),
  };
  return registry;

  function handle(request: IncomingMessage, response: ServerResponse): void {
    const path = request.url ?? "";
    const sent = request.headers.authorization;
    registry.requests.push({ path, token: sent });
    const file = registry.files.get(path);
    if (registry.answer?.(path, response) === true) return;
    if (file !== undefined) response.end(file);
    else if (token !== undefined && sent !== `Bearer ${token}`)
      json(response, 401, { error: "no" });
    else json(response, ...answerTo(path, registry.entries as Entry[]));
  }
}

interface Entry {
  readonly server: { readonly name: string; readonly version: string };
}

function answerTo(path: string, entries: readonly Entry[]): [number, unknown] {
  const url = new URL(path, "http://registry");
  if (url.pathname === "/v0.1/servers") {
    const search = (url.searchParams.get("search") ?? "").toLowerCase();
    const limit = Number(url.searchParams.get("limit") ?? 30);
    const start = Number(url.searchParams.get("cursor") ?? 0);
    const found = entries.filter(({ server }) => server.name.toLowerCase().includes(search));
    const page = found.slice(start, start + limit);
    const next = start + limit < found.length ? { nextCursor: String(start + limit) } : {};
    return [200, { servers: page, metadata: { ...next, count: page.length } }];
  }
  const [, name = "", version = ""] =
    /^\/v0\.1\/servers\/([^/]+)\/versions\/([^/]+)$/.exec(url.pathname) ?? [];
  const wanted = decodeURIComponent(name);
  const versions = entries.filter(({ server }) => server.name === wanted);
  const one =
    version === "latest"
      ? versions.at(-1)
      : versions.find(({ server }) => server.version === decodeURIComponent(version));
  return one === undefined ? [404, { error: "Server not found" }] : [200, one];
}

function json(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
}

const SCHEMA = "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json";

/** An entry as the official registry answers with it. */
export function registryEntry(server: object, official: object = {}): object {
  return {
    server: {
      $schema: SCHEMA,
      description: "A fixture",
      version: "1.0.0",
      repository: { url: "https://example.com/repository", source: "github" },
      ...server,
    },
    _meta: {
      "io.modelcontextprotocol.registry/official": {
        status: "active",
        publishedAt: "2026-01-01T00:00:00Z",
        updatedAt: "2026-01-01T00:00:00Z",
        isLatest: true,
        ...official,
      },
    },
  };
}

/** A server with one package that needs a secret, a choice and an argument. */
export const WEATHER = {
  name: "com.example/weather",
  description: "Weather for cities",
  version: "1.2.0",
  packages: [
    {
      registryType: "npm",
      registryBaseUrl: "https://registry.npmjs.org",
      identifier: "@example/weather",
      version: "1.2.3",
      runtimeHint: "npx",
      transport: { type: "stdio" },
      packageArguments: [
        { type: "named", name: "--units", default: "metric", choices: ["metric", "imperial"] },
        { type: "positional", valueHint: "city", isRequired: true, description: "Where you live" },
      ],
      environmentVariables: [
        { name: "WEATHER_API_KEY", isRequired: true, isSecret: true, description: "Your key" },
        { name: "WEATHER_LOG" },
      ],
    },
  ],
};
