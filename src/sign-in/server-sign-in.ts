import type { Credential } from "./credential.ts";
import { Discoveries } from "./discoveries.ts";
import { isDue, isExpired, isRefused, isUsable } from "./expiry.ts";
import { Logins } from "./logins.ts";
import { logout } from "./logout.ts";
import type { SignInParts } from "./parts.ts";
import { isRefreshable, redeemRefreshToken } from "./redeem.ts";
import type { Renewal } from "./renewal.ts";
import { answerScope, rememberScope } from "./scope-challenge.ts";
import { shortReason, SignInNeeded, SignInUnavailable } from "./sign-in-errors.ts";
import { statusOf } from "./status.ts";
import type {
  AuthChallenge,
  AuthStatus,
  BearerToken,
  SignInControl,
  SignInServer,
  SignInTarget,
} from "./types.ts";

/** A client that signs in for itself tries this long after its new token was rejected with another one. */
const RETRY_REJECTED_MS = 60_000;

/** The sign-in of one server. Servers with the same URL and account share the credential. */
export class ServerSignIn implements SignInControl {
  readonly #server: SignInServer;
  readonly #credential: Credential;
  readonly #renewal: Renewal;
  readonly #parts: SignInParts;
  readonly #discoveries: Discoveries;
  readonly #logins: Logins;
  #wasChallenged = false;
  /** The generation that was issued for a request that the server works without; such requests replace it no more. */
  #triedForOptional: number | undefined;

  constructor(server: SignInServer, credential: Credential, renewal: Renewal, parts: SignInParts) {
    this.#server = server;
    this.#credential = credential;
    this.#renewal = renewal;
    this.#parts = parts;
    this.#discoveries = new Discoveries(this.#target, parts);
    this.#logins = new Logins(this.#target, credential, this.#discoveries, parts);
  }

  get status(): AuthStatus {
    const { record, backOff } = this.#credential;
    return statusOf({
      record,
      settings: this.#server.oauth,
      place: this.#server.place,
      now: this.#parts.now(),
      problem: backOff.problem ?? (record?.token ? undefined : this.#discoveries.backOff.problem),
      isRejected: this.#isRejected,
      isGuess: this.#discoveries.isGuess,
    });
  }

  get isInUse(): boolean {
    return this.#wasChallenged || this.#credential.record?.token !== undefined;
  }

  get redirectUri(): string | undefined {
    return this.#credential.record?.client?.redirectUri;
  }

  load(): Promise<void> {
    return this.#credential.load();
  }

  onChanged(listener: () => void): () => void {
    return this.#credential.onChanged(listener);
  }

  noteChallenge(header: string): void {
    this.#wasChallenged = true;
    this.#discoveries.note(this.#parts.protocol.parseChallenge(header));
  }

  async token(): Promise<BearerToken | undefined> {
    await this.#credential.load();
    const { record } = this.#credential;
    const token = record?.token;
    if (record === undefined || token === undefined) return undefined;
    const now = this.#parts.now();
    if (!isDue(token, now) || !this.#isRenewable || isRefused(record)) return this.#bearer();
    const renewal = this.#renew(record.generation);
    if (isUsable(token, now)) return this.#bearer();
    await renewal;
    return this.#unlessExpired();
  }

  async answer({
    status,
    header,
    sent,
    request,
    isUnspecific = false,
    isOptional = false,
  }: AuthChallenge): Promise<BearerToken> {
    this.noteChallenge(header);
    // Another process may have logged in a moment ago.
    await this.#credential.reload();
    const { generation, record } = this.#credential;
    const isUsableToken = record?.token !== undefined && !isRefused(record);
    // Generations begin again after a logout.
    const isSame = sent?.generation === generation && sent.header === this.#bearer().header;
    if (isUsableToken && !isSame) return (await this.token()) ?? this.#needLogin();
    if (isOptional) return this.#answerOptional(status, generation);
    if (status === 403 && sent !== undefined) {
      const { challenge } = this.#discoveries;
      const isMachine = this.#isMachine;
      await answerScope(this.#credential, challenge, { isMachine, status: () => this.status });
      return this.#renewed(generation);
    }
    if (this.#isRejected) return this.#needLogin();
    if (sent?.isFresh === true) return this.#onRejected(generation, request);
    if (this.#isRenewable) return this.#renewed(generation);
    if (sent !== undefined) this.#reject(generation, request);
    return this.#needLogin(isUnspecific);
  }

  onAccepted({ generation }: BearerToken, request: string): void {
    const { rejected } = this.#credential;
    if (rejected?.generation === generation && rejected.request === request)
      this.#credential.rejected = undefined;
  }

  async beginLogin(redirectUri: string) {
    await this.#credential.isReadable();
    return this.#logins.begin(redirectUri);
  }

  async hasDeviceFlow(): Promise<boolean> {
    const { server } = await this.#discoveries.get();
    return server.device_authorization_endpoint !== undefined;
  }

  async beginDeviceLogin() {
    await this.#credential.isReadable();
    return this.#logins.beginDevice();
  }

  async loginAsClient(): Promise<void> {
    if (!(await this.#credential.isReadable()))
      return this.#credential.replace((current) => this.#logins.asClient(current));
    this.#credential.backOff.reset();
    const { generation } = this.#credential;
    await this.#renew(generation);
    const { problem, waitMs } = this.#credential.backOff;
    if (this.#credential.generation === generation)
      throw problem?.cause ?? new SignInUnavailable(this.status, "no token was issued", waitMs);
  }

  async importTokens(...[tokens]: Parameters<Logins["import"]>): Promise<void> {
    await this.#logins.import(tokens);
  }

  assertStored(): void {
    this.#credential.assertStored();
  }

  async logout() {
    return logout(this.#credential, this.#target, this.#parts);
  }

  // --- internal ---

  /** Read each time it is needed: secrets may have changed. */
  readonly #target = async (): Promise<SignInTarget> => {
    const target = (await this.#server.withSecrets?.()) ?? this.#server;
    const { clientSecret, privateKey } = target.oauth;
    this.#parts.redactValues([clientSecret, privateKey].filter((value) => value !== undefined));
    return target;
  };

  get #isMachine(): boolean {
    return this.#server.oauth.grant === "client_credentials";
  }

  /** Whether a new token can be obtained without the user. */
  get #isRenewable(): boolean {
    const { record } = this.#credential;
    if (this.#isMachine) return true;
    return isRefreshable(record) && record !== undefined && !isRefused(record);
  }

  get #isRejected(): boolean {
    const { rejected, generation } = this.#credential;
    if (generation === 0 || rejected?.generation !== generation) return false;
    // A user decides when to log in again; a client without one has to.
    return !this.#isMachine || this.#parts.now() - rejected.at < RETRY_REJECTED_MS;
  }

  #reject(generation: number, request: string | undefined): void {
    this.#credential.rejected = { generation, request, at: this.#parts.now() };
  }

  #bearer(isFresh = false): BearerToken {
    const { record, generation } = this.#credential;
    const header = `Bearer ${record?.token?.accessToken ?? ""}`;
    return { header, generation, ...(isFresh && { isFresh }) };
  }

  #renew(used: number): Promise<void> {
    const redeemer = this.#isMachine
      ? { needsUser: false, redeem: this.#logins.asClient.bind(this.#logins) }
      : redeemRefreshToken(this.#parts, this.#target);
    return this.#renewal.renew(used, redeemer);
  }

  /** After a refresh: the token, unless it has expired and no new one could be obtained. */
  #unlessExpired(): BearerToken | undefined {
    const { record } = this.#credential;
    if (record?.token === undefined) return undefined;
    const { problem } = this.#credential.backOff;
    if (isExpired(record.token, this.#parts.now()) && problem !== undefined)
      throw this.#unavailable();
    return this.#bearer();
  }

  /** A token of a newer generation than the one that was rejected. */
  async #renewed(generation: number): Promise<BearerToken> {
    await this.#renew(generation);
    const { record, generation: now, backOff } = this.#credential;
    if (now !== generation && record?.token !== undefined) return this.#bearer(true);
    if (backOff.problem !== undefined) throw this.#unavailable();
    return this.#needLogin();
  }

  /**
   * A new token, if that can be had without the user. One attempt for each token: the server may accept it for
   * calls and never for this.
   */
  async #answerOptional(status: 401 | 403, generation: number): Promise<BearerToken> {
    const isTried = this.#triedForOptional === generation;
    if (status === 403 || isTried || !this.#isRenewable) throw new SignInNeeded(this.status);
    const token = await this.#renewed(generation);
    this.#triedForOptional = token.generation;
    return token;
  }

  /** The server rejects a fresh token: its authorization server may have moved, or it lost the account. */
  async #onRejected(generation: number, request: string | undefined): Promise<BearerToken> {
    const before = this.#credential.record?.endpoints?.issuer;
    const found = await this.#discoveries.again().catch(() => undefined);
    const issuer = found?.endpoints.issuer;
    const hasMoved = issuer !== undefined && issuer !== before;
    if (hasMoved && this.#isMachine) return this.#renewed(generation);
    this.#reject(generation, request);
    const what = hasMoved ? `its authorization server is now ${issuer}` : "it rejects a new token";
    this.#parts.log.warn(`a login is needed: ${what}`, { ...this.#server.place });
    throw await this.#needed();
  }

  /** Finds the authorization server, so that a login can begin at once, and asks for it. */
  async #needLogin(isUnspecific = false): Promise<never> {
    const { backOff } = this.#discoveries;
    if (backOff.waitMs > 0) throw this.#unavailable();
    try {
      await this.#discoveries.get();
    } catch {
      throw this.#unavailable();
    }
    if (isUnspecific && this.#discoveries.isAssumed) throw this.#unavailable();
    throw await this.#needed();
  }

  async #needed(): Promise<SignInNeeded> {
    try {
      await rememberScope(this.#credential, this.#discoveries.challenge);
    } catch (error) {
      // A login in this process knows the scope; others may have to ask the user a second time.
      const reason = `the scope for the next login could not be stored: ${shortReason(error)}`;
      this.#parts.log.warn(reason, { ...this.#server.place });
    }
    return new SignInNeeded(this.status);
  }

  #unavailable(): SignInUnavailable {
    const { backOff } = this.#credential;
    const { problem, waitMs } = backOff.problem ? backOff : this.#discoveries.backOff;
    const reason = problem?.reason ?? "the authorization server cannot be used";
    return new SignInUnavailable(this.status, reason, waitMs, problem?.cause);
  }
}
