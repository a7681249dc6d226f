import type { TargetSignIn } from "../../calls/target-sign-in.ts";
import { reasonOf } from "../../errors.ts";
import type { Logger } from "../../log.ts";
import type { LoginLink } from "../../sign-in/login-listener.ts";
import type { LinkSource } from "./link-source.ts";
import { LocalLinks } from "./local-links.ts";

/** Makes links with which users sign in to servers. */
export class LoginLinks {
  readonly #log: Logger;
  readonly #source: LinkSource;
  /** Links that were made and may not have been opened yet. */
  readonly #links = new Map<TargetSignIn, LoginLink>();

  #isClosed = false;

  constructor(log: Logger, source: LinkSource = new LocalLinks()) {
    this.#log = log;
    this.#source = source;
  }

  /** A link that was not used yet; undefined if a browser cannot sign in. */
  async linkFor(signIn: TargetSignIn): Promise<LoginLink | undefined> {
    if (!signIn.usesBrowser) return undefined;
    try {
      const newLink = await this.#source.open(signIn);
      if (newLink === undefined) return undefined;
      const known = this.#links.get(signIn);
      if (known !== undefined && !known.isUsed) {
        known.extend();
        return known;
      }
      const link = newLink((redirectUri) => signIn.beginLogin(redirectUri));
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
    this.#source.close();
  }
}
