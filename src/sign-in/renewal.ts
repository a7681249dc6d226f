import type { CredentialRecord } from "../credentials/record.ts";
import type { CredentialLock } from "../credentials/types.ts";
import type { OAuthFailureKind } from "../oauth/failure.ts";
import type { Credential } from "./credential.ts";
import { isRefused } from "./expiry.ts";
import type { SignInParts } from "./parts.ts";
import { shortReason } from "./sign-in-errors.ts";

/** An authorization server that refuses the client is asked again once a minute: only the user can change that. */
const REFUSED_CLIENT_MS = 60_000;

/** How new tokens are had. */
export interface Redeemer {
  /** Whether a refusal is final until the user logs in; a client that signs in for itself can try again. */
  readonly needsUser: boolean;
  /** New tokens for a record; undefined if that is not possible without the user. */
  redeem(
    current: CredentialRecord | undefined,
    lock: CredentialLock,
  ): Promise<CredentialRecord | undefined>;
}

/** In the answer to a refresh, `denied` means that the user has to be asked, such as `interaction_required`. */
const ENDS_SIGN_IN: ReadonlySet<OAuthFailureKind> = new Set(["refused", "denied"]);

/**
 * The only place that redeems. Any number of callers and processes get one new token: callers in this
 * process share one attempt, and processes take turns and adopt what another one has stored.
 */
export class Renewal {
  readonly #credential: Credential;
  readonly #parts: SignInParts;
  #attempt: Promise<void> | undefined;

  constructor(credential: Credential, parts: SignInParts) {
    this.#credential = credential;
    this.#parts = parts;
  }

  /**
   * Replaces the token of the generation that the caller used. Resolves in any case: the credential
   * then has a new generation, is refused, or its back-off says why not.
   */
  async renew(used: number, redeemer: Redeemer): Promise<void> {
    const { backOff } = this.#credential;
    if (this.#attempt === undefined && backOff.waitMs > 0) return;
    if (this.#credential.generation !== used) return;
    this.#attempt ??= this.#redeemLocked(used, redeemer).finally(() => {
      this.#attempt = undefined;
    });
    await this.#attempt;
  }

  async #redeemLocked(used: number, redeemer: Redeemer): Promise<void> {
    const { store } = this.#parts;
    const credential = this.#credential;
    try {
      await store.withLock(credential.id, async (lock) => {
        const current = await store.read(credential.id);
        credential.adopt(current);
        if ((current?.generation ?? 0) !== used) return;
        const { needsUser } = redeemer;
        if (current !== undefined && needsUser && isRefused(current)) return;
        // Another process has just tried in vain, while this one waited: all would wait, one after the other.
        if (lock.failure?.generation === used) return this.#fail(lock.failure);
        try {
          await this.#parts.requests.run(async () => {
            const next = await redeemer.redeem(current, lock);
            if (next !== undefined) await credential.save(next);
          });
          credential.backOff.reset();
        } catch (error) {
          await this.#share(error, used, lock);
          await this.#onRefused(error, needsUser ? current : undefined);
        }
      });
    } catch (error) {
      const retryAfterMs = this.#parts.protocol.isOAuthFailure(error) ? error.retryAfterMs : 0;
      this.#fail({ reason: shortReason(error), retryAfterMs, cause: error });
    }
  }

  #fail(problem: {
    readonly reason: string;
    readonly retryAfterMs?: number | undefined;
    readonly cause?: unknown;
  }): void {
    const { reason, retryAfterMs, cause } = problem;
    const { backOff, label } = this.#credential;
    backOff.fail({ state: "unreachable", reason, cause }, { retryAfterMs });
    this.#parts.log.warn(`the token could not be refreshed: ${reason}`, label);
  }

  /** Processes that wait for the lock need not wait for the same time limit again. */
  async #share(error: unknown, generation: number, lock: CredentialLock): Promise<void> {
    const { protocol } = this.#parts;
    if (!protocol.isOAuthFailure(error) || error.kind !== "network") return;
    const { retryAfterMs = 0 } = error;
    await lock.shareFailure({ generation, reason: shortReason(error), retryAfterMs });
  }

  /**
   * Handles what the authorization server decided; anything else is thrown again, to be tried later.
   * `current` is undefined if there is no sign-in that can end.
   */
  async #onRefused(error: unknown, current: CredentialRecord | undefined): Promise<void> {
    const { protocol, store, log } = this.#parts;
    if (!protocol.isOAuthFailure(error) || error.kind === "network") throw error;
    const credential = this.#credential;
    const isForgotten = error.kind === "client" && current?.client?.kind === "dcr";
    if (current?.token === undefined || !(ENDS_SIGN_IN.has(error.kind) || isForgotten)) {
      const problem = { state: "refused", reason: shortReason(error), cause: error } as const;
      credential.backOff.fail(problem, { atLeastMs: REFUSED_CLIENT_MS });
      log.warn(`the authorization server refused: ${problem.reason}`, credential.label);
      return;
    }
    // The user may have logged in while the lock was lost.
    const stored = await store.read(credential.id);
    if (stored?.generation !== current.generation) return credential.adopt(stored);
    const { client, ...others } = stored;
    const kept = isForgotten || client === undefined ? others : stored;
    const { generation } = stored;
    const code = error.error ?? "invalid_grant";
    await credential.save({ ...kept, refused: { generation, at: this.#parts.now(), error: code } });
    // A failure before this decision no longer matters.
    credential.backOff.reset();
    log.warn(`a login is needed: ${shortReason(error)}`, credential.label);
  }
}
