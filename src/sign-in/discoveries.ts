import type { BearerChallenge, Discovery } from "../oauth/types.ts";
import { BackOff } from "./back-off.ts";
import type { SignInParts } from "./parts.ts";
import { shortReason } from "./sign-in-errors.ts";
import type { SignInTarget } from "./types.ts";

/** Long enough for the login that follows a challenge; an authorization server may move. */
const MAX_AGE_MS = 10 * 60_000;

/** What the server last reported about its authorization server. A login and its challenge share one discovery. */
export class Discoveries {
  readonly backOff: BackOff;
  challenge: BearerChallenge | undefined;
  readonly #target: () => Promise<SignInTarget>;
  readonly #parts: SignInParts;
  #found:
    | { readonly at: number; readonly from: string | undefined; readonly value: Discovery }
    | undefined;
  #attempt: Promise<Discovery> | undefined;

  constructor(target: () => Promise<SignInTarget>, parts: SignInParts) {
    this.#target = target;
    this.#parts = parts;
    this.backOff = new BackOff(parts.now);
  }

  /** A challenge without details must not hide those of an earlier one. */
  note(challenge: BearerChallenge | undefined): void {
    if (challenge === undefined) return;
    this.challenge = { ...this.challenge, ...challenge };
  }

  /** Whether the server names no authorization server; then its own addresses are a guess. */
  get isGuess(): boolean {
    return this.#found?.value.isFallback === true;
  }

  /** Whether the server has no metadata at all, so that nothing shows that it has a sign-in. */
  get isAssumed(): boolean {
    return this.#found?.value.isAssumed === true;
  }

  /** The discovery for the next login. */
  async get(): Promise<Discovery> {
    const found = this.#found;
    const isCurrent =
      found !== undefined &&
      found.from === this.challenge?.resourceMetadata &&
      this.#parts.now() - found.at < MAX_AGE_MS;
    return isCurrent ? found.value : this.again();
  }

  /** Asks the server again: its authorization server may have moved. */
  async again(): Promise<Discovery> {
    this.#attempt ??= this.#discover().finally(() => {
      this.#attempt = undefined;
    });
    return this.#attempt;
  }

  async #discover(): Promise<Discovery> {
    const { protocol, now } = this.#parts;
    const from = this.challenge?.resourceMetadata;
    try {
      const { url, oauth } = await this.#target();
      const value = await protocol.discover(url, this.challenge, oauth);
      this.#found = { at: now(), from, value };
      this.backOff.reset();
      return value;
    } catch (error) {
      const isOAuth = protocol.isOAuthFailure(error);
      const state = isOAuth && error.kind !== "network" ? "refused" : "unreachable";
      const retryAfterMs = isOAuth ? error.retryAfterMs : 0;
      this.backOff.fail({ state, reason: shortReason(error), cause: error }, { retryAfterMs });
      throw error;
    }
  }
}
