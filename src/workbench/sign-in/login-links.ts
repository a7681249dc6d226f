import type { TargetSignIn } from "../../calls/target-sign-in.ts";
import { reasonOf } from "../../errors.ts";
import type { Logger } from "../../log.ts";
import {
  type LoginLink,
  type LoginListener,
  openLoginListener,
} from "../../sign-in/login-listener.ts";

/** Makes links with which a user signs in to servers, on this machine. */
export class LoginLinks {
  readonly #log: Logger;
  /** By configured redirect URI; most servers have none. */
  readonly #listeners = new Map<string | undefined, Promise<LoginListener>>();
  /** Links that were made and may not have been opened yet. */
  readonly #links = new Map<TargetSignIn, LoginLink>();

  #isClosed = false;

  constructor(log: Logger) {
    this.#log = log;
  }

  /** A link that was not used yet; undefined if a browser on this machine cannot sign in. */
  async linkFor(signIn: TargetSignIn): Promise<LoginLink | undefined> {
    if (!signIn.usesBrowser) return undefined;
    try {
      const listener = await this.#listener(signIn.redirectUri);
      const known = this.#links.get(signIn);
      if (known !== undefined && !known.isUsed) {
        known.extend();
        return known;
      }
      const link = listener.link((redirectUri) => signIn.beginLogin(redirectUri));
      this.#links.set(signIn, link);
      const over = new AbortController();
      const forget = (): void => {
        over.abort();
        if (this.#links.get(signIn) === link) this.#links.delete(signIn);
      };
      link.done.then(forget, (error: unknown) => {
        const isReported = !this.#isClosed && !over.signal.aborted;
        forget();
        if (isReported) this.#log.info(`a sign-in was not completed: ${reasonOf(error)}`);
      });
      // The user may sign in with `login` instead. A browser that is on its way may still return.
      const signedIn = signIn.whenSignedIn(over.signal);
      signedIn.then(
        () => {
          over.abort();
          if (!link.isUsed) link.cancel();
        },
        () => {},
      );
      return link;
    } catch (error) {
      this.#log.warn(`no link for a sign-in can be offered: ${reasonOf(error)}`);
      return undefined;
    }
  }

  close(): void {
    this.#isClosed = true;
    for (const listener of this.#listeners.values())
      void listener.then(
        (open) => open.close(),
        () => {},
      );
  }

  /** Listeners close when no login is pending. One after another, so that calls at the same time share one. */
  #listener(redirectUri: string | undefined): Promise<LoginListener> {
    const next = async (): Promise<LoginListener> => {
      const known = await before?.catch(() => undefined);
      if (known?.isClosed === false) return known;
      return openLoginListener({ redirectUri, keepsAlive: false });
    };
    const before = this.#listeners.get(redirectUri);
    const listener = next();
    this.#listeners.set(redirectUri, listener);
    return listener;
  }
}
