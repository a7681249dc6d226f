import type { TokenSet } from "../../../src/credentials/record.ts";
import { isOAuthFailure } from "../../../src/oauth/failure.ts";
import type { Discovery } from "../../../src/oauth/types.ts";
import type { Protocol } from "../../../src/sign-in/parts.ts";

export const ISSUER = "https://login.test";

/** An authorization server that issues numbered tokens and counts what it is asked. */
export class FakeProtocol {
  readonly calls: string[] = [];
  /** Thrown by the next requests of this name, until it is removed. */
  readonly failures = new Map<string, Error>();
  /** A refresh waits for it. */
  hold: Promise<void> | undefined;
  issuer = ISSUER;
  lifetimeMs: number | undefined = 3_600_000;
  hasDevice = true;
  /** Whether the server has no metadata. */
  isAssumed = false;
  readonly requests: Record<string, unknown>[] = [];
  readonly #now: () => number;
  #issued = 0;

  constructor(now: () => number) {
    this.#now = now;
  }

  count(name: string): number {
    return this.calls.filter((call) => call === name).length;
  }

  issue(): TokenSet {
    this.#issued += 1;
    const now = this.#now();
    return {
      accessToken: `access-token-${this.#issued}`,
      refreshToken: `refresh-token-${this.#issued}`,
      obtainedAt: now,
      ...(this.lifetimeMs !== undefined && { expiresAt: now + this.lifetimeMs }),
    };
  }

  discovery(): Discovery {
    return {
      serverUrl: "https://mcp.test/mcp",
      resource: "https://mcp.test/mcp",
      server: {
        issuer: this.issuer,
        ...(this.hasDevice && { device_authorization_endpoint: `${this.issuer}/device` }),
      },
      endpoints: {
        issuer: this.issuer,
        tokenEndpoint: `${this.issuer}/token`,
        revocationEndpoint: `${this.issuer}/revoke`,
      },
      isFallback: false,
      isAssumed: this.isAssumed,
    };
  }

  get functions(): Protocol {
    return {
      isOAuthFailure,
      parseChallenge: (header) => {
        const [, scope] = /scope="([^"]*)"/.exec(header) ?? [];
        return scope === undefined ? {} : { scope };
      },
      discover: async () => {
        this.#called("discover");
        return this.discovery();
      },
      chooseClient: async (_discovery, settings, redirectUris, known) => {
        this.#called("chooseClient", { known });
        const { clientId, clientSecret } = settings;
        if (clientId !== undefined)
          return {
            kind: "static",
            clientId,
            authMethod: "client_secret_basic",
            ...(clientSecret !== undefined && { clientSecret }),
          };
        const [redirectUri] = redirectUris;
        if (known !== undefined && known.redirectUri === redirectUri) return known;
        this.#called("register");
        return {
          kind: "dcr",
          clientId: `client-${this.count("register")}`,
          authMethod: "none",
          ...(redirectUri !== undefined && { redirectUri }),
        };
      },
      startAuthorization: async ({ redirectUri, scope }) => {
        this.#called("startAuthorization", { scope });
        return {
          url: `${this.issuer}/authorize`,
          state: "the-state",
          issuer: this.issuer,
          redirectUri,
          finish: async () => this.issue(),
        };
      },
      finishAuthorization: async (started, returned) => {
        this.#called("finishAuthorization");
        return started.finish(returned);
      },
      refreshTokens: async (grant) => {
        this.calls.push("refresh");
        this.requests.push({ ...grant });
        await this.hold;
        const failure = this.failures.get("refresh");
        if (failure !== undefined) throw failure;
        return this.issue();
      },
      clientCredentials: async ({ scope, client }) => {
        this.#called("clientCredentials", { scope, client });
        const { refreshToken: _, ...token } = this.issue();
        return token;
      },
      startDevice: async () => {
        this.#called("startDevice");
        return {
          url: `${this.issuer}/device`,
          code: "ABCD-EFGH",
          expiresAt: this.#now() + 600_000,
          poll: async () => this.issue(),
        };
      },
      revokeTokens: async () => this.#called("revoke"),
      scopeToRequest: (challenge, _discovery, settings, previous) => {
        const words = [previous, challenge?.scope ?? settings.scopes?.join(" ")];
        const scope = [...new Set(words.flatMap((text) => text?.split(" ") ?? []))].join(" ");
        return scope === "" ? undefined : scope;
      },
    };
  }

  #called(name: string, request: Record<string, unknown> = {}): void {
    this.calls.push(name);
    this.requests.push(request);
    const failure = this.failures.get(name);
    if (failure !== undefined) throw failure;
  }
}
