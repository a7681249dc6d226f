import type { SignInUser } from "../config/types.ts";

/** What a sign-in belongs to. The same server in two toolboxes shares it; two accounts have one each. */
export interface CredentialId {
  /** The canonical URL of the server. */
  readonly url: string;
  /** The name that the user gave the account; "default" if there is only one. */
  readonly account: string;
  /** Whose it is, if each user has their own. No other user finds it. */
  readonly user?: SignInUser | undefined;
}

/** How the workbench identifies itself to an authorization server. Never used with another issuer. */
export interface OAuthClient {
  /** Configured by the user, a client metadata document (CIMD), or registered dynamically (DCR). */
  readonly kind: "static" | "cimd" | "dcr";
  readonly clientId: string;
  readonly clientSecret?: string;
  readonly authMethod: "none" | "client_secret_basic" | "client_secret_post" | "private_key_jwt";
  /** What was registered; the authorization server may compare it exactly. */
  readonly redirectUri?: string;
  /** Milliseconds since the epoch; unset if the secret does not expire. */
  readonly secretExpiresAt?: number;
}

export interface TokenSet {
  readonly accessToken: string;
  /** Milliseconds since the epoch; unset if the authorization server did not say. */
  readonly expiresAt?: number;
  readonly refreshToken?: string;
  /** The scope that was granted. */
  readonly scope?: string;
  readonly obtainedAt: number;
}

/** The addresses of an authorization server that are needed after the sign-in. */
export interface IssuerEndpoints {
  readonly issuer: string;
  readonly tokenEndpoint: string;
  readonly revocationEndpoint?: string;
  readonly tokenAuthMethods?: readonly string[];
}

/** Everything known about one sign-in. A record without a token remembers what the next login needs. */
export interface CredentialRecord extends CredentialId {
  readonly version: 1;
  /** Grows with every login and refresh, so that a process notices that another one was faster. */
  readonly generation: number;
  readonly endpoints?: IssuerEndpoints;
  /** The resource indicator, exactly as it was sent; unset if none is sent. */
  readonly resource?: string;
  readonly client?: OAuthClient;
  readonly token?: TokenSet;
  /** The scope of the last login; a step-up adds to it. */
  readonly requestedScope?: string;
  /** A scope that the server asked for, to be requested by the next login in any process. */
  readonly wantedScope?: string;
  /** The authorization server refused to refresh this generation: the user has to log in. */
  readonly refused?: { readonly generation: number; readonly at: number; readonly error: string };
}
