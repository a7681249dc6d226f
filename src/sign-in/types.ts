import type { OAuthSettings } from "../config/types.ts";

/** How a remote server is signed in to, as `status` and `auth` show it. */
export interface AuthStatus {
  readonly kind: "oauth";
  readonly state: "signed-in" | "needs-login" | "needs-scope" | "refused" | "unreachable";
  readonly account: string;
  /** Whose sign-in it is, if each user has their own and it is not that of the owner. */
  readonly user?: string;
  readonly issuer: string | null;
  readonly scope: string | null;
  /** An ISO date. */
  readonly expiresAt: string | null;
  readonly refreshable: boolean;
  /** The command that signs in. */
  readonly login: string;
  /** Why it does not work, or why the token could not be refreshed in time; null if all is well. */
  readonly reason: string | null;
}

/** The value of an `Authorization` header, and the generation of the credential it is from. */
export interface BearerToken {
  readonly header: string;
  readonly generation: number;
  /** It was issued to answer a challenge: if it is rejected, another one would be, too. */
  readonly isFresh?: true;
}

/** A response that asks for other credentials: status 401, or 403 for lack of scope. */
export interface AuthChallenge {
  readonly status: 401 | 403;
  /** All `WWW-Authenticate` headers, joined by commas. */
  readonly header: string;
  /** What the rejected request was sent with. */
  readonly sent: BearerToken | undefined;
  /** What was requested, such as `tools/call`: some servers check the token only for that. */
  readonly request?: string;
  /** Set if the response does not say that a sign-in helps: then the metadata of the server decides. */
  readonly isUnspecific?: boolean;
  /** Set if the server works without the request: the user is not asked for it, and it says nothing about the token. */
  readonly isOptional?: boolean;
}

/** The sign-in of one remote server, shared by all its connections. */
export interface SignIn {
  readonly status: AuthStatus;
  /** True once a token or a challenge was seen; before that, requests are sent without waiting. */
  readonly isInUse: boolean;
  /**
   * The token for the next request, refreshed if it is about to expire; undefined if there is none.
   * Rejects with a `SignInUnavailable` if it has expired and cannot be refreshed at this time.
   */
  token(): Promise<BearerToken | undefined>;
  /**
   * Handles a challenge. Resolves with a token to send the request with once more; rejects with a
   * `SignInNeeded` if the user has to act, or with a `SignInUnavailable` if the server has to be tried
   * later. If that request is challenged, too, call it again with the token that was sent: it rejects
   * at the latest for the third challenge of a request.
   */
  answer(challenge: AuthChallenge): Promise<BearerToken>;
  /** A request of this kind was accepted with the token: a rejection of the same no longer counts. */
  onAccepted(token: BearerToken, request: string): void;
  /** Starts a login in a browser that returns to `redirectUri`. */
  beginLogin(redirectUri: string): Promise<PendingLogin>;
  /** Calls back after each change of the credential, also by other processes. Returns a function that stops it. */
  onChanged(listener: () => void): () => void;
}

/** What `login` and `logout` need beyond the sign-in of running servers. */
export interface SignInControl extends SignIn {
  /** The redirect URI of the stored registration, which an authorization server may compare exactly. */
  readonly redirectUri: string | undefined;
  /** Reads what is stored. Before that, `status` knows nothing. */
  load(): Promise<void>;
  /** Remembers the server's challenge, for the login that follows. */
  noteChallenge(header: string): void;
  /** Whether the authorization server has the device flow. */
  hasDeviceFlow(): Promise<boolean>;
  beginDeviceLogin(): Promise<DeviceLogin>;
  /** Gets a token for the client itself, without a user. */
  loginAsClient(): Promise<void>;
  importTokens(tokens: ImportedTokens): Promise<void>;
  /** Throws the reason if the token is only known to this process. */
  assertStored(): void;
  logout(): Promise<LogoutResult>;
}

/** A login that the user completes on any device. */
export interface DeviceLogin {
  readonly url: string;
  readonly code: string;
  /** The same address with the code in it. */
  readonly completeUrl?: string;
  /** Resolves when the user has agreed and the tokens are stored. */
  finish(signal?: AbortSignal): Promise<void>;
}

/** Tokens from elsewhere. To refresh them, the client that they were issued to is needed. */
export interface ImportedTokens {
  readonly accessToken: string;
  readonly refreshToken?: string;
  readonly expiresAt?: number;
  readonly scope?: string;
  readonly clientId?: string;
  readonly clientSecret?: string;
}

export interface LogoutResult {
  /** False if nothing was stored. */
  readonly removed: boolean;
  /** Whether the authorization server was asked to revoke the tokens, and did. */
  readonly revoked: boolean;
  /** Why it did not; undefined if it did, or cannot. */
  readonly problem?: string;
}

/** A login that waits for the browser to return. Never stored and never logged. */
export interface PendingLogin {
  /** The address of the authorization server to open. */
  readonly url: string;
  readonly state: string;
  /** Takes the URL (or its query) with which the browser returned; stores the tokens. */
  finish(returned: string): Promise<void>;
}

/** Where to sign in, and how. */
export interface SignInTarget {
  readonly url: string;
  readonly oauth: OAuthSettings;
}

/** A remote server that can be signed in to. */
export interface SignInServer extends SignInTarget {
  readonly place: { readonly toolbox: string; readonly server: string };
  /** The target with the values of its secrets, if it refers to any. Called only to get or end tokens. */
  readonly withSecrets?: (() => Promise<SignInTarget>) | undefined;
}
