import type { LookupAddress } from "node:dns";

import type { AuthorizationServer } from "oauth4webapi";

import type { IssuerEndpoints, OAuthClient, TokenSet } from "../credentials/record.ts";
import type { OAuthSettings } from "../config/types.ts";

/** What a `WWW-Authenticate` header says about Bearer tokens. All of it is untrusted. */
export interface BearerChallenge {
  /** The address of the resource metadata. */
  readonly resourceMetadata?: string;
  readonly scope?: string;
  /** Such as `invalid_token` or `insufficient_scope`. */
  readonly error?: string;
  readonly errorDescription?: string;
}

/** What is known about the authorization server of an MCP server. Checked; safe to use. */
export interface Discovery {
  /** The MCP server; decides which addresses may be contacted. */
  readonly serverUrl: string;
  /** The resource indicator, exactly as the server wrote it; unset if none is to be sent. */
  readonly resource?: string;
  /** The scopes that the MCP server lists. */
  readonly scopesSupported?: readonly string[];
  readonly server: AuthorizationServer;
  readonly endpoints: IssuerEndpoints;
  /** True for servers of 2025-03-26: no resource metadata, the server's origin issues the tokens. */
  readonly isFallback: boolean;
  /** True if there is no metadata at all, so that the addresses are those that MCP 2025-03-26 defined. */
  readonly isAssumed: boolean;
}

/** Resolves a host name to all its addresses. */
export type Lookup = (host: string) => Promise<readonly LookupAddress[]>;

/** Ends early, with the reason of the signal, when the signal is aborted. */
export type Sleep = (ms: number, signal: AbortSignal | undefined) => Promise<void>;

/** What tests replace, and a signal that ends requests. */
export interface ProtocolOptions {
  readonly signal?: AbortSignal | undefined;
  readonly lookup?: Lookup;
  readonly now?: () => number;
  readonly sleep?: Sleep;
  /** For one request with its redirects and its body. */
  readonly timeoutMs?: number;
  /** The largest body that is read. */
  readonly maxBytes?: number;
}

export interface AuthorizationRequest {
  readonly discovery: Discovery;
  readonly client: OAuthClient;
  readonly redirectUri: string;
  readonly scope: string | undefined;
  readonly settings: OAuthSettings;
}

/** A login that waits for the browser. The PKCE verifier is in `finish` only, where no log can reach it. */
export interface StartedAuthorization {
  /** The address to open in a browser. */
  readonly url: string;
  readonly state: string;
  readonly issuer: string;
  readonly redirectUri: string;
  /** Takes the URL, or its query, with which the browser returned. Redeems the code once. */
  readonly finish: (returned: string, options?: ProtocolOptions) => Promise<TokenSet>;
}

/** A request for tokens without a browser on this machine. */
export interface GrantRequest {
  readonly discovery: Discovery;
  readonly client: OAuthClient;
  readonly scope: string | undefined;
  readonly settings: OAuthSettings;
}

export interface StartedDevice {
  /** Where the user enters the code, on any device. */
  readonly url: string;
  readonly code: string;
  /** The same address with the code in it. */
  readonly completeUrl?: string;
  /** Milliseconds since the epoch. */
  readonly expiresAt: number;
  /** Resolves when the user has agreed; rejects with the reason of the signal if it is aborted. */
  readonly poll: (signal?: AbortSignal) => Promise<TokenSet>;
}

/** A request with a stored credential. */
export interface StoredGrant {
  /** The MCP server; decides which addresses may be contacted. */
  readonly serverUrl: string;
  readonly endpoints: IssuerEndpoints;
  readonly client: OAuthClient;
  readonly token: TokenSet;
  /** The resource indicator, exactly as it was sent before. */
  readonly resource?: string | undefined;
  /** The setting of that name, for clients with `private_key_jwt`. */
  readonly privateKey?: string | undefined;
}
