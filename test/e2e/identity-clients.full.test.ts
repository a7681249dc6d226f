/** The official SDK clients sign in by themselves: from the challenge of the workbench to a call. */
import {
  Client as ClientV2,
  StreamableHTTPClientTransport as HttpV2,
} from "@modelcontextprotocol/client";
import type { OAuthClientProvider } from "@modelcontextprotocol/sdk/client/auth.js";
import { Client as ClientV1 } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as HttpV1 } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import type {
  OAuthClientInformationMixed,
  OAuthTokens,
} from "@modelcontextprotocol/sdk/shared/auth.js";
import { beforeAll, describe, expect, it } from "vitest";
import { recorded } from "../support/clients/sdk.ts";
import { perBlock } from "../support/disposables.ts";
import { freePort } from "../support/free-port.ts";
import { startHttpWorkbench } from "../support/http-workbench.ts";
import {
  type AuthorizationServer,
  startAuthorizationServer,
} from "../support/oauth/authorization-server.ts";
import { Browser } from "../support/oauth/browser.ts";
import { type Config, fixture, toolbox } from "../support/servers.ts";

const INFO = { name: "sdk-client", version: "1.0.0" };
const CALL = {
  name: "use_tool",
  arguments: { tool: { toolbox: "dev", server: "fx", name: "echo" }, arguments: { text: "hi" } },
};
const cleanup = perBlock();
let idp: AuthorizationServer;
let address: string;

beforeAll(async () => {
  idp = await startAuthorizationServer(cleanup, { tokenFormat: "jwt", scopes: ["wb:dev"] });
  const port = await freePort();
  const origin = `http://127.0.0.1:${port}`;
  const oauth = {
    issuer: idp.issuer,
    resource: origin,
    audiences: [`${origin}/mcp`],
    scopes: { "wb:dev": { toolboxes: ["dev"] } },
  };
  const config = { http: { oauth }, toolboxes: { dev: toolbox({ fx: fixture() }) } } as Config;
  await startHttpWorkbench(cleanup, config, { address: `127.0.0.1:${port}` });
  address = `${origin}/mcp`;
});

/** What a program with an SDK client keeps of a sign-in. */
class Program implements OAuthClientProvider {
  readonly redirectUrl = "http://127.0.0.1:9/callback";
  readonly clientMetadata = {
    client_name: "sdk-client",
    redirect_uris: [this.redirectUrl],
    grant_types: ["authorization_code", "refresh_token"],
    response_types: ["code"],
    token_endpoint_auth_method: "none",
  };
  opened: URL | undefined;
  #client: OAuthClientInformationMixed | undefined;
  #tokens: OAuthTokens | undefined;
  #verifier = "";

  state(): string {
    return "state-of-the-program";
  }
  clientInformation(): OAuthClientInformationMixed | undefined {
    return this.#client;
  }
  saveClientInformation(client: OAuthClientInformationMixed): void {
    this.#client = client;
  }
  tokens(): OAuthTokens | undefined {
    return this.#tokens;
  }
  saveTokens(tokens: OAuthTokens): void {
    this.#tokens = tokens;
  }
  redirectToAuthorization(url: URL): void {
    this.opened = url;
  }
  saveCodeVerifier(verifier: string): void {
    this.#verifier = verifier;
  }
  codeVerifier(): string {
    return this.#verifier;
  }

  /** The user signs in; returns with what the browser came back. */
  async signIn(): Promise<URLSearchParams> {
    const browser = new Browser({ stopsAtCallback: true });
    const { url } = await browser.open(String(this.opened));
    return new URL(url).searchParams;
  }
}

describe("an SDK client without a token", () => {
  it("finds the identity provider, gets a token and calls a tool (v1)", async () => {
    const authProvider = new Program();
    const first = recorded(new HttpV1(new URL(address), { authProvider }));
    await expect(new ClientV1(INFO).connect(first)).rejects.toThrow(/Unauthorized/i);
    expect(authProvider.opened?.searchParams.get("scope")).toContain("wb:dev");
    expect(authProvider.opened?.searchParams.get("resource")).toBe(address);
    await first.finishAuth((await authProvider.signIn()).get("code") ?? "");
    const client = new ClientV1(INFO);
    await client.connect(recorded(new HttpV1(new URL(address), { authProvider })));
    cleanup.defer(() => client.close());
    expect(await client.callTool(CALL)).toMatchObject({ content: [{ text: "hi" }] });
  });

  it("finds the identity provider, gets a token and calls a tool (v2)", async () => {
    const authProvider = new Program();
    const first = recorded(new HttpV2(new URL(address), { authProvider }));
    await expect(new ClientV2(INFO).connect(first)).rejects.toThrow(/Unauthorized/i);
    await first.finishAuth(await authProvider.signIn());
    const client = new ClientV2(INFO);
    await client.connect(recorded(new HttpV2(new URL(address), { authProvider })));
    cleanup.defer(() => client.close());
    expect(await client.callTool(CALL)).toMatchObject({ content: [{ text: "hi" }] });
  });
});
