import type { Principal } from "../../calls/principal.ts";
import { reasonOf } from "../../errors.ts";
import { versionOf } from "../../files/file-version.ts";
import type { Logger } from "../../log.ts";
import { type StateFile, pathOf } from "../state-file.ts";
import { isHashOf, tokenIdIn } from "./token-format.ts";
import { readTokens } from "./token-file.ts";
import { recordUses } from "./manage-tokens.ts";
import { type TokenRecord, expiryOf, principalOf } from "./token-record.ts";

/** How often the file and the expiries are checked for clients that send nothing. */
const CHECK_MS = 250;
const MINUTE_MS = 60_000;
/** The last minute is recorded after this time, together with others. */
const RECORD_MS = 5_000;

export interface TokenAccessOptions {
  readonly file: StateFile;
  readonly log: Logger;
  /** A token was revoked, rotated or changed, or has expired. */
  readonly onEnded: (principal: Principal) => void;
  readonly now?: () => number;
  readonly checkMs?: number;
}

interface Accepted {
  readonly record: TokenRecord;
  readonly principal: Principal;
  readonly expiresAt: number;
}

/** The result of a check: for whom the token is, or why it is not accepted. */
export type TokenVerdict = Principal | "unknown" | "expired";

/**
 * The access tokens that are accepted now. Every check reads the file if it has changed, so that a new
 * token works at once and a revoked one does not. If the file cannot be used, no token is accepted.
 */
export class TokenAccess {
  readonly #options: TokenAccessOptions;
  readonly #now: () => number;
  readonly #timer: NodeJS.Timeout;
  #accepted = new Map<string, Accepted>();
  #state: string | undefined;
  #isRead = false;
  readonly #uses = new Map<string, string>();
  #recording: NodeJS.Timeout | undefined;

  constructor(options: TokenAccessOptions) {
    this.#options = options;
    this.#now = options.now ?? Date.now;
    this.#read();
    this.#timer = setInterval(() => this.check(), options.checkMs ?? CHECK_MS).unref();
  }

  /** For whom a token is valid. */
  find(token: string): TokenVerdict {
    const id = tokenIdIn(token);
    if (id === undefined) return "unknown";
    this.#read();
    const found = this.#accepted.get(id);
    // The same work for a token that does not exist.
    const isRight = isHashOf(found?.record.hash ?? NO_HASH, token);
    if (found === undefined || !isRight) return "unknown";
    if (this.#now() >= found.expiresAt) {
      this.check();
      return "expired";
    }
    this.#use(found.record);
    return found.principal;
  }

  /** Reads the file if it has changed, and ends the access of expired tokens. */
  check(): void {
    this.#read();
    const now = this.#now();
    for (const { principal, expiresAt } of this.#accepted.values())
      if (now >= expiresAt) this.#options.onEnded(principal);
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    clearTimeout(this.#recording);
    await this.#record();
  }

  #read(): void {
    const { file, log, onEnded } = this.#options;
    const state = versionOf(pathOf(file));
    if (this.#isRead && state === this.#state) return;
    this.#isRead = true;
    this.#state = state;
    const before = this.#accepted;
    this.#accepted = new Map();
    try {
      for (const record of readTokens(file)) {
        const known = before.get(record.id);
        const isKept = known !== undefined && isSameAccess(known.record, record);
        const principal = isKept ? known.principal : principalOf(record);
        this.#accepted.set(record.id, { record, principal, expiresAt: expiryOf(record) });
      }
    } catch (error) {
      this.#accepted.clear();
      log.error(reasonOf(error));
    }
    for (const [id, { principal }] of before)
      if (this.#accepted.get(id)?.principal !== principal) onEnded(principal);
  }

  #use({ id, lastUsedAt = "" }: TokenRecord): void {
    const minute = minuteOf(this.#now());
    if (minute <= lastUsedAt || this.#uses.get(id) === minute) return;
    this.#uses.set(id, minute);
    this.#recording ??= setTimeout(() => {
      this.#recording = undefined;
      void this.#record();
    }, RECORD_MS).unref();
  }

  async #record(): Promise<void> {
    if (this.#uses.size === 0) return;
    const uses = new Map(this.#uses);
    try {
      await recordUses(this.#options.file, uses);
    } catch (error) {
      this.#options.log.debug(`the last use of tokens was not recorded: ${reasonOf(error)}`);
    }
  }
}

/** Compared with the hash of a token whose id is not known. */
const NO_HASH = `sha256:${"0".repeat(64)}`;

function minuteOf(now: number): string {
  return new Date(Math.floor(now / MINUTE_MS) * MINUTE_MS).toISOString();
}

/** Whether a token still gives the same access. Its last use does not count. */
function isSameAccess(one: TokenRecord, other: TokenRecord): boolean {
  const { lastUsedAt: _one, ...before } = one;
  const { lastUsedAt: _other, ...after } = other;
  return JSON.stringify(before) === JSON.stringify(after);
}
