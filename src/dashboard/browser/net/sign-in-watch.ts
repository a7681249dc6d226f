import type { SessionInfo } from "../../contract.ts";
import { asProblem } from "./api-problem.ts";

export interface SignInListener {
  /** The session of the browser as it is now. */
  readSession(): Promise<SessionInfo>;
  onSignedIn(session: SessionInfo): void;
  onSignedOut(): void;
}

/**
 * Whether this browser is signed in. Its pages share a cookie: one that signs in again ends the session of all others,
 * which may notice that before the new cookie has arrived.
 */
export class SignInWatch {
  readonly #listener: SignInListener;
  #isSignedIn = false;
  #isReading = false;
  #isOutdated = false;

  constructor(listener: SignInListener) {
    this.#listener = listener;
  }

  onSignedIn(): void {
    this.#isSignedIn = true;
  }

  onSignedOut(): void {
    this.#isSignedIn = false;
  }

  /** The session of a request was refused. */
  onRefused(): void {
    if (this.#isSignedIn && !this.#isReading) void this.#read();
  }

  /** Another page has signed in. */
  onOtherSignedIn(): void {
    if (this.#isReading) this.#isOutdated = true;
    else if (!this.#isSignedIn) void this.#read();
  }

  async #read(): Promise<void> {
    this.#isReading = true;
    let found: SessionInfo | Error;
    do {
      this.#isOutdated = false;
      found = await this.#listener.readSession().catch(asProblem);
    } while (this.#isOutdated);
    this.#isReading = false;
    const wasSignedIn = this.#isSignedIn;
    this.#isSignedIn = !(found instanceof Error);
    if (!(found instanceof Error)) this.#listener.onSignedIn(found);
    else if (wasSignedIn) this.#listener.onSignedOut();
  }
}
