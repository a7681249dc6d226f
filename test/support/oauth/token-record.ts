/** What an authorization server issued and refused, for tests to count and for servers to check. */
import type { IncomingMessage } from "node:http";

export interface IssuedToken {
  readonly accessToken: string;
  readonly refreshToken: string | undefined;
  readonly account: string | undefined;
  readonly clientId: string;
  readonly scopes: readonly string[];
  readonly resource: string | undefined;
  readonly expiresAt: number;
}

export interface TokenRequest {
  readonly grant: string;
  /** "ok", or the error code of OAuth, or "fault" if a test made the request fail. */
  readonly result: string;
  readonly resource: string | undefined;
  readonly scope: string | undefined;
  readonly clientId: string | undefined;
}

export class TokenRecord {
  readonly requests: TokenRequest[] = [];
  readonly issued: IssuedToken[] = [];
  readonly registrations: Record<string, unknown>[] = [];
  /** The parameters of every authorization that was started. */
  readonly authorizations: Readonly<Record<string, unknown>>[] = [];
  readonly grantIds = new Set<string>();
  readonly revoked: string[] = [];
  #expiredBefore = 0;

  /** How many requests for tokens of a grant had a result; of all grants and results if left out. */
  count(grant?: string, result?: string): number {
    return this.requests.filter(
      (request) =>
        (grant === undefined || request.grant === grant) &&
        (result === undefined || request.result === result),
    ).length;
  }

  /** How often a refresh token was redeemed. */
  get refreshes(): number {
    return this.count("refresh_token", "ok");
  }

  get last(): IssuedToken {
    const last = this.issued.at(-1);
    if (last === undefined) throw new Error("no token was issued");
    return last;
  }

  /** The token, if it is valid now. */
  find(accessToken: string): IssuedToken | undefined {
    const index = this.issued.findIndex((token) => token.accessToken === accessToken);
    const token = this.issued[index];
    return index < this.#expiredBefore || (token?.expiresAt ?? 0) <= Date.now() ? undefined : token;
  }

  expireAccessTokens(): void {
    this.#expiredBefore = this.issued.length;
  }

  /** Everything that may never appear outside requests: tokens of every kind. */
  get secrets(): string[] {
    return this.issued.flatMap(({ accessToken, refreshToken }) =>
      refreshToken === undefined ? [accessToken] : [accessToken, refreshToken],
    );
  }

  failed(request: IncomingMessage): void {
    if (!request.url?.endsWith("/token")) return;
    const unknown = { resource: undefined, scope: undefined, clientId: undefined };
    this.requests.push({ grant: "unknown", result: "fault", ...unknown });
  }
}
