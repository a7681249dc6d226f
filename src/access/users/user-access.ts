import { hash } from "node:crypto";

import type { Principal } from "../../calls/principal.ts";
import type { IdentityProvider } from "../../config/types.ts";
import { type WorkbenchError, workbenchError } from "../../errors.ts";
import type { Logger } from "../../log.ts";
import type { TokenUser } from "./claims.ts";
import { accessOf } from "./granted.ts";
import { IssuerKeys, type IssuerKeysOptions, KeysUnavailable } from "./issuer-keys.ts";
import { USER_PREFIX, userIdOf } from "./user-id.ts";
import { NOT_VALID, TOLERANCE_SECONDS, verifyToken } from "./verify-token.ts";

/** How often expiries are checked. */
const CHECK_MS = 1000;
/** A token that was verified is not verified again for this long; a key may have been withdrawn. */
const VERIFIED_MS = 60_000;
/** How often it is logged that keys cannot be read. */
const WARN_MS = 30_000;
const MAX_TOKENS = 10_000;
const MAX_USERS = 10_000;

/** What happens to the clients of a user. */
export interface UserEvents {
  /** All tokens of the user have expired: nothing more may be sent until there is a new one. */
  onExpired(principal: Principal): void;
  /** The user has not been back for long, or the access was withdrawn. */
  onEnded(principal: Principal): void;
}

export interface UserAccessOptions extends IssuerKeysOptions {
  readonly provider: IdentityProvider;
  readonly events: UserEvents;
  readonly log: Logger;
  /** How long sessions of a user without a valid token are kept. */
  readonly idleMs: () => number;
}

interface User {
  readonly principal: Principal;
  /** Of the token that expires last. */
  expiresAt: number;
  hasExpired: boolean;
}

interface Verified {
  readonly user: User;
  readonly until: number;
}

/**
 * The users of an identity provider. A user with the same access is always the same principal, whatever
 * token is sent, so that sessions survive the refresh of a token.
 */
export class UserAccess {
  readonly #options: UserAccessOptions;
  readonly #now: () => number;
  readonly #keys: IssuerKeys;
  readonly #users = new Map<string, User>();
  /** By the digest of the token. */
  readonly #verified = new Map<string, Verified>();
  readonly #timer: NodeJS.Timeout;
  #isClosed = false;
  #warnedAt = -Infinity;

  constructor(options: UserAccessOptions) {
    this.#options = options;
    this.#now = options.now ?? Date.now;
    this.#keys = new IssuerKeys(options.provider, options);
    this.#timer = setInterval(() => this.check(), CHECK_MS).unref();
  }

  /** For whom a token is valid, or why it is refused. */
  find(token: string): Principal | Promise<Principal | WorkbenchError> {
    const digest = hash("sha256", token, "base64");
    const known = this.#verified.get(digest);
    if (known !== undefined && this.#now() < known.until) return known.user.principal;
    this.#verified.delete(digest);
    return this.#verify(token, digest);
  }

  /** Ends what has expired. */
  check(): void {
    const now = this.#now();
    const { events, idleMs } = this.#options;
    for (const [key, user] of this.#users) {
      if (now < user.expiresAt) continue;
      if (now >= user.expiresAt + idleMs()) this.#forget(key, user);
      else if (!user.hasExpired) {
        user.hasExpired = true;
        events.onExpired(user.principal);
      }
    }
    for (const [digest, { until }] of this.#verified)
      if (now >= until) this.#verified.delete(digest);
  }

  /** From now on, no token is accepted. */
  close(): void {
    this.#isClosed = true;
    clearInterval(this.#timer);
    for (const [key, user] of this.#users) this.#forget(key, user);
  }

  async #verify(token: string, digest: string): Promise<Principal | WorkbenchError> {
    const { provider, log } = this.#options;
    let found: TokenUser | string;
    try {
      found = await verifyToken(token, provider, this.#keys, this.#now());
    } catch (error) {
      if (!(error instanceof KeysUnavailable)) throw error;
      this.#warn(`the keys of ${provider.issuer} cannot be read: ${error.message}`);
      return workbenchError("IDENTITY_UNAVAILABLE", {}, "Try again later");
    }
    if (typeof found === "string") {
      log.debug(`a token of ${provider.issuer} was refused: ${found}`);
      return workbenchError("UNAUTHORIZED", { reason: found });
    }
    // The configuration may have changed in the meantime.
    if (this.#isClosed) return workbenchError("UNAUTHORIZED", { reason: NOT_VALID });
    const user = this.#userOf(found);
    const until = Math.min(user.expiresAt, this.#now() + VERIFIED_MS, lastsUntil(found));
    makeRoom(this.#verified, MAX_TOKENS);
    this.#verified.set(digest, { user, until });
    return user.principal;
  }

  /** Every request of every user fails for the same reason. */
  #warn(problem: string): void {
    const now = this.#now();
    if (now - this.#warnedAt < WARN_MS) return;
    this.#warnedAt = now;
    this.#options.log.warn(problem);
  }

  #userOf(found: TokenUser): User {
    const { issuer, scopes } = this.#options.provider;
    const access = accessOf(found.scopes, scopes);
    const id = userIdOf(issuer, found.subject);
    const name = `${USER_PREFIX}${found.name}`;
    const key = JSON.stringify([id, name, access]);
    const known = this.#users.get(key);
    const expiresAt = Math.max(known?.expiresAt ?? 0, lastsUntil(found));
    if (known !== undefined) {
      Object.assign(known, { expiresAt, hasExpired: false });
      // The user who was away for longest is the first to be forgotten.
      this.#users.delete(key);
      this.#users.set(key, known);
      return known;
    }
    const [oldest] = this.#users;
    if (this.#users.size >= MAX_USERS && oldest !== undefined) this.#forget(...oldest);
    const principal: Principal = { kind: "oauth", id, name, ...access };
    const user: User = { principal, expiresAt, hasExpired: false };
    this.#users.set(key, user);
    return user;
  }

  #forget(key: string, user: User): void {
    this.#users.delete(key);
    for (const [digest, verified] of this.#verified)
      if (verified.user === user) this.#verified.delete(digest);
    this.#options.events.onEnded(user.principal);
  }
}

function lastsUntil({ expiresAt }: TokenUser): number {
  return expiresAt + TOLERANCE_SECONDS * 1000;
}

function makeRoom(map: Map<string, unknown>, max: number): void {
  const [oldest] = map.keys();
  if (map.size >= max && oldest !== undefined) map.delete(oldest);
}
