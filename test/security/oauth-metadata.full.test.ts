/**
 * Servers choose what a client reads before it signs in. None of their lies gets a request sent. In
 * the full suite because it starts the program for each lie; `src/oauth/hostile-metadata.test.ts`
 * has them all in one process.
 */
import { beforeAll, describe, expect, it } from "vitest";
import { perBlock, perTest } from "../support/disposables.ts";
import { Browser } from "../support/oauth/browser.ts";
import { logIn, type LoginRun } from "../support/oauth/login.ts";
import {
  type Canary,
  type Lies,
  type MaliciousServer,
  metadataOf,
  startCanary,
  startMaliciousServer,
} from "../support/oauth/malicious-server.ts";
import { prepareWorkbench } from "../support/workbench.ts";

const block = perBlock();
const cleanup = perTest();
/** The largest document that is read. */
const MAX_BYTES = 256 * 1024;

let canary: Canary;
beforeAll(async () => {
  canary = await startCanary(block);
});

interface Attempt {
  readonly run: LoginRun;
  readonly server: MaliciousServer;
  readonly browser: Browser;
}

async function tryToLogIn(liesOf: (origin: string) => Lies): Promise<Attempt> {
  const server = await startMaliciousServer(cleanup, liesOf);
  const mcpServers = { api: { url: server.url } };
  const toolboxes = { dev: { description: "Remote tools", mcpServers } };
  const config = JSON.stringify({ credentials: "file", toolboxes });
  const place = prepareWorkbench(cleanup, config);
  const browser = new Browser();
  return { run: await logIn(place, "dev/api", { browser }), server, browser };
}

/** Endpoints at the canary under the issuer's own name. */
const atCanary = (honest: Readonly<Record<string, unknown>>) => ({
  ...metadataOf(canary.origin),
  issuer: honest["issuer"],
});

/** A host that is not a loopback address by its name, but leads to this machine. */
const unspecified = (path: string): string => `http://0.0.0.0:${canary.port}${path}`;

const LIES: readonly [string, (origin: string) => Lies][] = [
  [
    "resource metadata for a different resource",
    () => ({
      resource: () => ({
        resource: "https://bank.example/mcp",
        authorization_servers: [canary.origin],
      }),
    }),
  ],
  [
    "resource metadata that redirects to a different origin",
    () => ({ resource: () => ({ redirect: `${canary.origin}/prm`, status: 302 }) }),
  ],
  [
    "a challenge that names an address which is not loopback, over http",
    () => ({ challenge: `Bearer resource_metadata="${unspecified("/prm")}"` }),
  ],
  [
    "an authorization server over http that is not loopback",
    () => ({ resource: (honest) => ({ ...honest, authorization_servers: [unspecified("")] }) }),
  ],
  [
    "an authorization server with a password in its address",
    () => ({
      resource: (honest) => ({
        ...honest,
        authorization_servers: [canary.origin.replace("//", "//user:password@")],
      }),
    }),
  ],
  ["metadata of a different issuer", () => ({ metadata: () => metadataOf(canary.origin) })],
  [
    "metadata that redirects to a different origin",
    () => ({
      metadata: () => ({
        redirect: `${canary.origin}/.well-known/oauth-authorization-server`,
        status: 307,
      }),
    }),
  ],
  [
    "metadata without PKCE",
    () => ({
      metadata: (honest) => ({ ...atCanary(honest), code_challenge_methods_supported: undefined }),
    }),
  ],
  [
    "metadata of more than 256 KB",
    () => ({
      metadata: (honest) => ({ ...atCanary(honest), padding: "x".repeat(MAX_BYTES) }),
    }),
  ],
  [
    "an authorization endpoint that is a script",
    () => ({
      metadata: (honest) => ({
        ...honest,
        authorization_endpoint: `javascript:fetch("${canary.origin}")`,
      }),
    }),
  ],
  [
    "an authorization endpoint that is a file",
    () => ({
      metadata: (honest) => ({ ...honest, authorization_endpoint: "file:///etc/passwd" }),
    }),
  ],
  [
    "endpoints over http that are not loopback",
    () => ({
      metadata: (honest) => ({
        ...honest,
        registration_endpoint: unspecified("/register"),
        token_endpoint: unspecified("/token"),
      }),
    }),
  ],
  [
    "a registration that redirects to a different origin",
    () => ({ registration: () => ({ redirect: `${canary.origin}/register`, status: 307 }) }),
  ],
  [
    "a token endpoint that redirects to a different origin",
    () => ({ token: () => ({ redirect: `${canary.origin}/token`, status: 307 }) }),
  ],
];

describe("the login at a server that lies", () => {
  it.each(LIES)("fails for %s, and sends nothing there", async (_, liesOf) => {
    const { run, browser } = await tryToLogIn(liesOf);
    expect(run.code).not.toBe(0);
    expect(run.events.at(-1)).toMatchObject({ event: "failed" });
    expect(run.events.map(({ event }) => event)).not.toContain("signed-in");
    // What is printed for the user to open is an address for browsers.
    for (const { url = "http:" } of run.events) expect(url).toMatch(/^https?:/);
    expect(browser.visited.filter((url) => url.includes(canary.port))).toEqual([]);
    expect(canary.requests).toEqual([]);
  });

  it.each([
    ["a different issuer", (url: URL) => url.searchParams.set("iss", "https://evil.example")],
    ["no issuer", (url: URL) => url.searchParams.delete("iss")],
    [
      "a different issuer in an error",
      (url: URL) => {
        url.searchParams.delete("code");
        url.searchParams.set("error", "access_denied");
        url.searchParams.set("error_description", "call 555-0100 to unlock");
        url.searchParams.set("iss", "https://evil.example");
      },
    ],
  ])("sends no code for a return with %s", async (_, callback) => {
    const { run, server } = await tryToLogIn(() => ({ callback }));
    expect(run.code).not.toBe(0);
    expect(run.stdout + run.stderr).not.toContain("555-0100");
    expect(server.requests).not.toContain("POST /token");
  });

  it("succeeds without lies, so that these tests can fail", async () => {
    const { run, server } = await tryToLogIn(() => ({}));
    expect(run.events.at(-1)).toMatchObject({ event: "signed-in" });
    expect(server.requests).toContain("POST /token");
  });
});
