import { hash, randomBytes } from "node:crypto";

/** One browser that is signed in. */
export interface UiSession {
  /** What its page sends with every change. */
  readonly csrf: string;
  readonly expiresAt: number;
  /** Called when it has ended. */
  readonly onEnd: Set<() => void>;
}

interface Kept extends UiSession {
  usedAt: number;
}

/** A link is used at once; one that is found later in a history or a log must be worthless. */
const CODE_MS = 60_000;
const MAX_CODES = 16;
const SESSION_MS = 12 * 3_600_000;
const IDLE_MS = 3_600_000;
const MAX_SESSIONS = 16;
const CODE_BYTES = 16;
const SECRET_BYTES = 32;

/**
 * The one-time codes and sessions of a dashboard. Only hashes of them are kept, and finding one by its
 * hash reveals nothing about others.
 */
export class UiSessions {
  readonly #now: () => number;
  /** When they expire, by the hash of the code. */
  readonly #codes = new Map<string, number>();
  /** By the hash of the cookie, the oldest first. */
  readonly #sessions = new Map<string, Kept>();

  constructor(now: () => number = Date.now) {
    this.#now = now;
  }

  get size(): number {
    return this.#sessions.size;
  }

  /** A code that can be exchanged for a session once, within a minute. */
  newCode(): string {
    const code = randomBytes(CODE_BYTES).toString("base64url");
    this.#codes.set(hashOf(code), this.#now() + CODE_MS);
    dropOldest(this.#codes, MAX_CODES);
    return code;
  }

  /** Exchanges a code for a session and its cookie; undefined if the code is not valid. */
  login(code: string): { readonly cookie: string; readonly session: UiSession } | undefined {
    const key = hashOf(code);
    const expiresAt = this.#codes.get(key);
    this.#codes.delete(key);
    if (expiresAt === undefined || expiresAt <= this.#now()) return undefined;
    const cookie = randomBytes(SECRET_BYTES).toString("base64url");
    const session: Kept = {
      csrf: randomBytes(SECRET_BYTES).toString("base64url"),
      expiresAt: this.#now() + SESSION_MS,
      onEnd: new Set(),
      usedAt: this.#now(),
    };
    this.#sessions.set(hashOf(cookie), session);
    for (const ended of dropOldest(this.#sessions, MAX_SESSIONS)) end(ended);
    return { cookie, session };
  }

  /** The session of a cookie; undefined if there is none, or it has expired. */
  find(cookie: string): UiSession | undefined {
    this.expire();
    const session = this.#sessions.get(hashOf(cookie));
    if (session !== undefined) session.usedAt = this.#now();
    return session;
  }

  /** Ends what is too old. A session with an open stream is in use. */
  expire(): void {
    const now = this.#now();
    for (const [key, session] of this.#sessions) {
      if (session.onEnd.size > 0) session.usedAt = now;
      if (session.expiresAt > now && session.usedAt + IDLE_MS > now) continue;
      this.#sessions.delete(key);
      end(session);
    }
  }

  logout(session: UiSession): void {
    for (const [key, one] of this.#sessions) if (one === session) this.#sessions.delete(key);
    end(session);
  }

  close(): void {
    const all = [...this.#sessions.values()];
    this.#sessions.clear();
    this.#codes.clear();
    for (const session of all) end(session);
  }
}

function end({ onEnd }: UiSession): void {
  for (const listener of onEnd) listener();
}

function hashOf(secret: string): string {
  return hash("sha256", secret, "base64");
}

/** Removes the oldest entries above a limit and returns them. */
function dropOldest<T>(map: Map<string, T>, max: number): T[] {
  const dropped: T[] = [];
  for (const [key, value] of map) {
    if (map.size <= max) break;
    map.delete(key);
    dropped.push(value);
  }
  return dropped;
}
