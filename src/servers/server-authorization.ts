import { isRemote } from "../config/is-remote.ts";
import type { TargetSignIn } from "../calls/target-sign-in.ts";
import { challengeInResult } from "../calls/result-challenge.ts";
import { neededSignIn } from "../calls/sign-in-error.ts";
import { signInRequired } from "../calls/sign-in-required.ts";
import type { ServerRef } from "../calls/identifier.ts";
import type { OAuthSettings, ServerSettings, SignInUser } from "../config/types.ts";
import { type WorkbenchError, reasonOf } from "../errors.ts";
import { isSignInNeeded } from "../sign-in/sign-in-errors.ts";
import type {
  AuthChallenge,
  AuthStatus,
  BearerToken,
  PendingLogin,
  SignIn,
  SignInTarget,
} from "../sign-in/types.ts";
import type { Host, SignInLoader } from "./host.ts";
import type { ServerResponse } from "../wire/response.ts";
import type { Authorization } from "./transport/authorization.ts";

/** A server that may need a sign-in. */
interface SignedInServer {
  readonly settings: ServerSettings;
  readonly place: ServerRef;
  readonly host: Host;
  /** The reason for a connection that fails. */
  readonly failures: { error(reason: string, cause?: unknown): WorkbenchError };
  readonly connections: { onSignedIn(): void };
}

/** The sign-in of a server; undefined if its settings or the workbench do not allow one. */
export function authorizationOf(server: SignedInServer): ServerAuthorization | undefined {
  const { settings, host } = server;
  const { transport } = settings;
  if (!isRemote(transport) || transport.oauth === undefined || host.signIns === undefined)
    return undefined;
  return new ServerAuthorization(server, transport.url, transport.oauth, host.signIns);
}

/**
 * The sign-in of one server, for all its connections and calls. Nothing is loaded before the server
 * asks for it, unless there is a credential.
 */
export class ServerAuthorization implements Authorization, TargetSignIn {
  readonly #server: SignedInServer;
  readonly #oauth: OAuthSettings;
  readonly #source: SignInLoader;
  readonly #url: string;
  #loading: Promise<SignIn> | undefined;
  #signIn: SignIn | undefined;
  #needed: AuthStatus | undefined;
  /** The last token that was issued to answer a challenge in a result. */
  #freshGeneration: number | undefined;
  readonly #waiting = new Set<() => void>();
  #stop = (): void => {};

  constructor(server: SignedInServer, url: string, oauth: OAuthSettings, source: SignInLoader) {
    this.#server = server;
    this.#url = url;
    this.#oauth = oauth;
    this.#source = source;
  }

  /** For the status of the server; undefined if nothing is known. */
  get status(): AuthStatus | undefined {
    return this.#signIn?.status;
  }

  /** Set from the time the server asked for a sign-in of the user, until there is one. */
  get needed(): AuthStatus | undefined {
    return this.#needed;
  }

  get isInUse(): boolean {
    return this.#signIn?.isInUse ?? false;
  }

  get isConfigured(): boolean {
    const { account: _account, grant: _grant, ...others } = this.#oauth;
    return Object.values(others).some((value) => value !== undefined);
  }

  get place(): ServerRef {
    return this.#server.place;
  }

  get user(): SignInUser | undefined {
    return this.#oauth.user;
  }

  get origin(): string {
    return new URL(this.#url).origin;
  }

  get usesBrowser(): boolean {
    return this.#oauth.grant === "authorization_code";
  }

  get redirectUri(): string | undefined {
    return this.#oauth.redirectUri;
  }

  /** Before a connection is made: a credential is used from the first request on. */
  async prepare(): Promise<void> {
    const { place } = this.#server;
    const server = { url: this.#url, oauth: this.#oauth, place };
    const isNeeded = this.isInUse || (await (await this.#source.load()).hasCredential(server));
    // A sign-in reads what is stored when it is asked for a token. A failure is that of the request.
    if (isNeeded) await this.token().catch(() => undefined);
  }

  async token(): Promise<BearerToken | undefined> {
    return (await this.#load()).token();
  }

  async answer(challenge: AuthChallenge): Promise<BearerToken> {
    const signIn = await this.#load();
    try {
      const token = await signIn.answer(challenge);
      // A token for this request may still lack the scope that a different one waits for.
      if (this.#needed?.state !== "needs-scope") this.#setNeeded(undefined);
      else this.#onChanged();
      return token;
    } catch (error) {
      if (!isSignInNeeded(error)) throw error;
      // Calls may work; if they do not, they are challenged as well.
      if (challenge.isOptional !== true) this.#setNeeded(error.auth);
      throw signInRequired(this.#server.place, error.auth);
    }
  }

  onAccepted(token: BearerToken, request: () => string): void {
    if (this.#needed === undefined) return;
    this.#signIn?.onAccepted(token, request());
    this.#onChanged();
  }

  challengeIn(response: ServerResponse): string | undefined {
    return challengeInResult(response);
  }

  async answerResult(header: string, credential: unknown): Promise<void> {
    const token = credential as BearerToken | undefined;
    // The call is sent again like any other, without this mark.
    const isFresh = token !== undefined && token.generation === this.#freshGeneration;
    const sent = isFresh ? ({ ...token, isFresh } as const) : token;
    try {
      const next = await this.answer({
        status: statusIn(header),
        header,
        sent,
        request: IN_RESULT,
      });
      if (next.isFresh === true) this.#freshGeneration = next.generation;
    } catch (error) {
      throw neededSignIn(error) ? error : this.#server.failures.error(reasonOf(error), error);
    }
  }

  onResult(credential: unknown): void {
    if (credential !== undefined) this.onAccepted(credential as BearerToken, () => IN_RESULT);
  }

  async beginLogin(redirectUri: string): Promise<PendingLogin> {
    return (await this.#load()).beginLogin(redirectUri);
  }

  whenSignedIn(signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      if (this.#needed === undefined) return resolve();
      const done = (): void => {
        this.#waiting.delete(done);
        signal.removeEventListener("abort", abort);
        resolve();
      };
      const abort = (): void => {
        this.#waiting.delete(done);
        reject(signal.reason);
      };
      if (signal.aborted) return abort();
      this.#waiting.add(done);
      signal.addEventListener("abort", abort, { once: true });
    });
  }

  /** The server is no longer used with these settings. Calls that wait try what is there now. */
  close(): void {
    this.#stop();
    this.#needed = undefined;
    for (const done of this.#waiting) done();
  }

  #load(): Promise<SignIn> {
    this.#loading ??= this.#open().catch((error: unknown) => {
      this.#loading = undefined;
      throw error;
    });
    return this.#loading;
  }

  async #open(): Promise<SignIn> {
    const { place, settings } = this.#server;
    const hasSecrets = settings.secretTexts.length > 0;
    const withSecrets = hasSecrets ? () => this.#targetWithSecrets() : undefined;
    const server = { url: this.#url, oauth: this.#oauth, place, withSecrets };
    const signIn = await (await this.#source.load()).of(server);
    this.#signIn = signIn;
    this.#stop = signIn.onChanged(() => this.#onChanged());
    return signIn;
  }

  async #targetWithSecrets(): Promise<SignInTarget> {
    const { settings, host } = this.#server;
    const { transport } = await host.withSecrets(settings, "sign-in");
    if (!isRemote(transport)) throw new Error("only remote servers have a sign-in");
    return { url: transport.url, oauth: transport.oauth ?? this.#oauth };
  }

  /** Any process may have changed the credential, and not every change is a sign-in. */
  #onChanged(): void {
    if (this.#needed === undefined) return;
    if (this.#signIn?.status.state === "signed-in") this.#setNeeded(undefined);
    else this.#needed = this.#signIn?.status ?? this.#needed;
  }

  #setNeeded(needed: AuthStatus | undefined): void {
    const { host, place } = this.#server;
    const before = this.#needed;
    this.#needed = needed;
    if (before === undefined && needed !== undefined)
      host.log.warn(`the user has to sign in: ${needed.login}`, place);
    if (before === undefined || needed !== undefined) return;
    host.log.info("signed in", place);
    for (const done of this.#waiting) done();
    this.#server.connections.onSignedIn();
  }
}

/** HTTP accepts such a request, which says nothing about the token. */
const IN_RESULT = "result";

function statusIn(header: string): 401 | 403 {
  return /\binsufficient_scope\b/.test(header) ? 403 : 401;
}
