import type { TargetSignIn } from "../../calls/target-sign-in.ts";
import { type LoginListener, openLoginListener } from "../../sign-in/login-listener.ts";
import type { LinkSource, NewLink } from "./link-source.ts";

/** Links for browsers on this machine. */
export class LocalLinks implements LinkSource {
  /** By configured redirect URI; most servers have none. */
  readonly #listeners = new Map<string | undefined, Promise<LoginListener>>();

  async open({ redirectUri }: TargetSignIn): Promise<NewLink> {
    const listener = await this.#listener(redirectUri);
    return (begin) => listener.link(begin);
  }

  close(): void {
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
