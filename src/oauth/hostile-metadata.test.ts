/**
 * Everything that an MCP server or its authorization server says is untrusted. Each of these tries a
 * complete login with one lie in it; none of the lies may cause a request to the canary.
 */
import { describe, expect, it } from "vitest";

import { perTest } from "../../test/support/disposables.ts";
import { AS_PATH, AUTOMATIC, oauthScript, PRM_PATH } from "../../test/support/oauth-script.ts";
import {
  type Answer,
  json,
  redirect,
  type ScriptedHttp,
  scriptedHttp,
} from "../../test/support/scripted-http.ts";
import { finishAuthorization, startAuthorization } from "./authorization.ts";
import { chooseClient } from "./choose-client.ts";
import { startDevice } from "./device.ts";
import { discover } from "./discover.ts";
import { isOAuthFailure } from "./failure.ts";
import { refreshTokens } from "./refresh.ts";
import { revokeTokens } from "./revoke.ts";
import type { BearerChallenge, Lookup, ProtocolOptions } from "./types.ts";

const disposables = perTest();
const TOKENS = { access_token: "at-canary-0123456789", token_type: "Bearer", expires_in: 60 };
const REDIRECT = "http://127.0.0.1:7999/callback";

interface Lie {
  readonly prm?: (canary: ScriptedHttp) => object;
  readonly as?: (canary: ScriptedHttp, issuer: string) => object;
  readonly answers?: (canary: ScriptedHttp) => Record<string, Answer>;
  readonly mcpAnswers?: (canary: ScriptedHttp) => Record<string, Answer>;
  readonly challenge?: (canary: ScriptedHttp) => BearerChallenge;
  readonly timeoutMs?: number;
}

/** Everything a login does, with a browser that agrees, and what follows it. */
async function logIn(
  serverUrl: string,
  challenge: BearerChallenge | undefined,
  options: ProtocolOptions,
): Promise<void> {
  const discovery = await discover(serverUrl, challenge, AUTOMATIC, options);
  const client = await chooseClient(
    discovery,
    AUTOMATIC,
    [REDIRECT],
    undefined,
    undefined,
    options,
  );
  const grant = { discovery, client, scope: undefined, settings: AUTOMATIC };
  const request = { ...grant, redirectUri: REDIRECT };
  const started = await startAuthorization(request, options);
  expect(started.url).toMatch(/^http:\/\/127\.0\.0\.1:/);
  const returned = new URLSearchParams({ code: "code-canary", state: started.state });
  const token = await finishAuthorization(started, `${REDIRECT}?${returned}`);
  const stored = { serverUrl, endpoints: discovery.endpoints, client };
  await refreshTokens({ ...stored, token: { refreshToken: "rt-canary", ...token } }, options);
  await revokeTokens({ ...stored, token }, options);
  await startDevice(grant, options);
}

async function attempt(lie: Lie): Promise<{ error: unknown; canary: ScriptedHttp }> {
  const canary = await scriptedHttp(disposables, () => ({ "POST /token": TOKENS }));
  const { mcp, serverUrl } = await oauthScript(disposables, {
    prm: () => lie.prm?.(canary) ?? {},
    as: (issuer) => lie.as?.(canary, issuer) ?? {},
    answers: {
      "POST /register": json(201, { client_id: "client" }),
      "POST /token": TOKENS,
      "POST /revoke": {},
      "POST /device": { device_code: "d", user_code: "u", verification_uri: "https://a.example" },
      ...lie.answers?.(canary),
    },
  });
  for (const [key, answer] of Object.entries(lie.mcpAnswers?.(canary) ?? {}))
    mcp.answers.set(key, answer);
  const options = lie.timeoutMs === undefined ? {} : { timeoutMs: lie.timeoutMs };
  const error = await logIn(serverUrl, lie.challenge?.(canary), options).then(
    () => undefined,
    (reason: unknown) => reason,
  );
  return { error, canary };
}

const endpointLies = (
  [
    "authorization_endpoint",
    "token_endpoint",
    "registration_endpoint",
    "revocation_endpoint",
    "device_authorization_endpoint",
  ] as const
).flatMap((name): [string, Lie][] => [
  [`${name} with javascript:`, { as: () => ({ [name]: "javascript:alert(1)" }) }],
  [`${name} with http to a different host`, { as: () => ({ [name]: "http://as.example/x" }) }],
  [
    `${name} with a password`,
    { as: ({ port }) => ({ [name]: `http://a:b@127.0.0.1:${port}/token` }) },
  ],
  [`${name} that is not text`, { as: () => ({ [name]: { url: "https://as.example" } }) }],
]);

const bigBody: Answer = (response) => {
  response.writeHead(200, { "content-type": "application/json" });
  response.end(JSON.stringify({ x: "x".repeat(300 * 1024) }));
};
const slowBody: Answer = (response) => {
  response.writeHead(200, { "content-type": "application/json" });
  response.write("{");
};

describe("a login with hostile metadata", () => {
  it("succeeds without a lie, so that the failures below mean something", async () => {
    expect((await attempt({})).error).toBeUndefined();
  });

  it.each<[string, Lie]>([
    ...endpointLies,
    ["resource of a different host", { prm: () => ({ resource: "https://bank.example/mcp" }) }],
    ["resource on a different port", { prm: ({ origin }) => ({ resource: `${origin}/mcp` }) }],
    ["no resource", { prm: () => ({ resource: undefined }) }],
    [
      "issuer with javascript:",
      { prm: () => ({ authorization_servers: ["javascript:alert(1)"] }) },
    ],
    ["issuer with file:", { prm: () => ({ authorization_servers: ["file:///etc/passwd"] }) }],
    [
      "issuer with a password",
      { prm: ({ port }) => ({ authorization_servers: [`http://a:b@127.0.0.1:${port}`] }) },
    ],
    [
      "issuer with a query",
      { prm: ({ origin }) => ({ authorization_servers: [`${origin}?x=1`] }) },
    ],
    [
      "issuer with a fragment",
      { prm: ({ origin }) => ({ authorization_servers: [`${origin}#x`] }) },
    ],
    [
      "issuer with a line break",
      { prm: ({ port }) => ({ authorization_servers: [`http://127.0.0.1\n:${port}`] }) },
    ],
    [
      "issuer at a link-local address",
      { prm: () => ({ authorization_servers: ["https://169.254.169.254"] }) },
    ],
    ["issuer at address zero", { prm: () => ({ authorization_servers: ["https://0.0.0.0"] }) }],
    ["metadata of a different issuer", { as: ({ origin }) => ({ issuer: origin }) }],
    ["metadata of the issuer with a slash", { as: (_, issuer) => ({ issuer: `${issuer}/` }) }],
    [
      "metadata of the issuer in capitals",
      { as: (_, issuer) => ({ issuer: issuer.replace("http", "HTTP") }) },
    ],
    ["metadata without an issuer", { as: () => ({ issuer: undefined }) }],
    ["no PKCE", { as: () => ({ code_challenge_methods_supported: undefined }) }],
    ["plain PKCE only", { as: () => ({ code_challenge_methods_supported: ["plain"] }) }],
    ["PKCE as text", { as: () => ({ code_challenge_methods_supported: "S256" }) }],
    ["no token endpoint", { as: () => ({ token_endpoint: undefined }) }],
    [
      "resource metadata that redirects to a different port",
      {
        challenge: () => ({}),
        mcpAnswers: ({ origin }) => ({ [`GET ${PRM_PATH}/mcp`]: redirect(origin) }),
      },
    ],
    [
      "metadata that redirects to a different port",
      { answers: ({ origin }) => ({ [`GET ${AS_PATH}`]: redirect(`${origin}${AS_PATH}`) }) },
    ],
    [
      "metadata that redirects to a different name of this machine",
      { answers: ({ port }) => ({ [`GET ${AS_PATH}`]: redirect(`http://localhost:${port}/`) }) },
    ],
    [
      "metadata that redirects to a private address",
      { answers: () => ({ [`GET ${AS_PATH}`]: redirect("https://10.0.0.1/") }) },
    ],
    [
      "metadata that redirects to file:",
      { answers: () => ({ [`GET ${AS_PATH}`]: redirect("file:///x") }) },
    ],
    [
      "metadata that redirects in a circle",
      { answers: () => ({ [`GET ${AS_PATH}`]: redirect(AS_PATH) }) },
    ],
    ["metadata of 300 KB", { answers: () => ({ [`GET ${AS_PATH}`]: bigBody }) }],
    [
      "metadata that never ends",
      { timeoutMs: 300, answers: () => ({ [`GET ${AS_PATH}`]: slowBody }) },
    ],
    [
      "metadata that is a page",
      {
        answers: () => ({
          [`GET ${AS_PATH}`]: (response) =>
            void response.setHeader("content-type", "text/html").end("{}"),
        }),
      },
    ],
    ["metadata that is a list", { answers: () => ({ [`GET ${AS_PATH}`]: [] }) }],
    [
      "challenge with javascript:",
      { challenge: () => ({ resourceMetadata: "javascript:alert(1)" }) },
    ],
    ["challenge with a relative address", { challenge: () => ({ resourceMetadata: "/prm" }) }],
    [
      "challenge with a password",
      { challenge: ({ port }) => ({ resourceMetadata: `http://a:b@127.0.0.1:${port}/` }) },
    ],
    [
      "challenge at a link-local address",
      { challenge: () => ({ resourceMetadata: "https://169.254.169.254/" }) },
    ],
    [
      "a token endpoint that redirects",
      { answers: ({ origin }) => ({ "POST /token": redirect(`${origin}/token`, 307) }) },
    ],
    [
      "a token endpoint at a link-local address",
      { as: () => ({ token_endpoint: "https://[fe80::1]/token" }) },
    ],
    [
      "a registration that redirects",
      { answers: ({ origin }) => ({ "POST /register": redirect(origin, 308) }) },
    ],
    [
      "a revocation that redirects",
      { answers: ({ origin }) => ({ "POST /revoke": redirect(origin, 308) }) },
    ],
    [
      "a device login with javascript:",
      {
        answers: () => ({
          "POST /device": { device_code: "d", user_code: "u", verification_uri: "javascript:1" },
        }),
      },
    ],
    ["a token of 300 KB", { answers: () => ({ "POST /token": bigBody }) }],
    ["a DPoP token", { answers: () => ({ "POST /token": { ...TOKENS, token_type: "DPoP" } }) }],
    [
      "a token with a line break",
      { answers: () => ({ "POST /token": { ...TOKENS, access_token: "a\r\nx: y" } }) },
    ],
    [
      "a client id with a line break",
      { answers: () => ({ "POST /register": { client_id: "a\nb" } }) },
    ],
    [
      "a client with a different redirect URI",
      {
        answers: ({ origin }) => ({
          "POST /register": { client_id: "c", redirect_uris: [origin] },
        }),
      },
    ],
  ])("fails: %s", async (_, lie) => {
    const { error, canary } = await attempt(lie);
    expect(isOAuthFailure(error), String(error)).toBe(true);
    expect(canary.requests).toEqual([]);
    // No token, code or control character in the message.
    // oxlint-disable-next-line no-control-regex -- control characters are what this looks for
    expect((error as Error).message).not.toMatch(/canary|a:b@|[\u0000-\u001f]/);
  });
});

describe("a server on the internet", () => {
  const lookupTo =
    (address: string): Lookup =>
    async (host) => [{ address: host === "as.example" ? address : "93.184.216.34", family: 4 }];

  it.each([
    ["127.0.0.1", "https://as.example:PORT"],
    ["::ffff:127.0.0.1", "https://as.example:PORT"],
    ["192.168.1.1", "https://as.example:PORT"],
    ["93.184.216.34", "https://127.0.0.1:PORT"],
    ["93.184.216.34", "https://2130706433:PORT"],
    ["93.184.216.34", "https://[::ffff:7f00:1]:PORT"],
    ["93.184.216.34", "http://127.0.0.1:PORT"],
    ["93.184.216.34", "http://localhost:PORT"],
  ])("cannot use names for %s or addresses such as %s", async (address, target) => {
    const canary = await scriptedHttp(disposables);
    const origin = target.replace("PORT", String(canary.port));
    const lookup = lookupTo(address);
    const serverUrl = "https://mcp.example/mcp";
    const challenge = { resourceMetadata: `${origin}/prm` };
    await expect(discover(serverUrl, challenge, AUTOMATIC, { lookup })).rejects.toMatchObject({
      kind: "metadata",
    });
    const stored = {
      serverUrl,
      endpoints: { issuer: origin, tokenEndpoint: `${origin}/token` },
      client: { kind: "dcr", clientId: "c", authMethod: "none" },
      token: { accessToken: "a", refreshToken: "r", obtainedAt: 0 },
    } as const;
    // A stored address is checked again: what a name resolves to can change.
    await expect(refreshTokens(stored, { lookup })).rejects.toMatchObject({ isOAuthFailure: true });
    expect(canary.requests).toEqual([]);
  });
});
