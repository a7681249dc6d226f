import { randomBytes, timingSafeEqual } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";

import { type LoginSubject, sendConfirmation } from "./confirm-page.ts";
import { type Expected, digest, expectItem, find, take } from "./expected.ts";
import { MAX_LOGIN_MS, type LoginLink } from "./login-listener.ts";
import { sendPage, sendRedirect } from "./login-pages.ts";
import { cookieHeader, cookieIn, expiredCookie, loginCookie, tagOf } from "./login-cookie.ts";
import { readSmallForm } from "./small-form.ts";
import type { PendingLogin } from "./types.ts";

/** Everything for browsers that sign in is below this path. */
export const PUBLIC_LOGIN_PATH = "/login/";
const CALLBACK = `${PUBLIC_LOGIN_PATH}callback`;

export interface PublicLoginsOptions {
  readonly maxMs?: number;
  readonly here?: () => string;
}

interface ExpectedVisit extends Expected {
  readonly subject: LoginSubject;
  readonly cookie: string;
  /** Begins the login, and returns its state and the address to open. */
  readonly open: (browser: Buffer) => Promise<PendingLogin>;
}

interface ExpectedReturn extends Expected {
  readonly finish: (returned: string) => Promise<void>;
  /** Of the value that the browser has which began the login. */
  readonly browser: Buffer;
}

/**
 * Logins of users whose browser is on another machine. A link is a secret of one user; but its user may send it to
 * another person, who would then sign in for that user. So nothing begins before the person has read for whom it is,
 * and a login ends only in the browser in which it began.
 */
export class PublicLogins {
  readonly #address: () => string | undefined;
  readonly #here: () => string;
  readonly #maxMs: number;
  readonly #visits = new Set<ExpectedVisit>();
  readonly #returns = new Set<ExpectedReturn>();

  /**
   * `address` is where browsers reach the workbench, without a path. `here` names this replica to the others, if
   * there are any: a request may reach any of them.
   */
  constructor(
    address: () => string | undefined,
    { maxMs = MAX_LOGIN_MS, here = () => "" }: PublicLoginsOptions = {},
  ) {
    this.#address = address;
    this.#maxMs = maxMs;
    this.#here = here;
  }

  /** Makes a link; `begin` is called with the redirect URI when a person has confirmed it. */
  link(
    subject: LoginSubject,
    address: string,
    begin: (redirectUri: string) => Promise<PendingLogin>,
  ): LoginLink {
    const id = randomBytes(16).toString("base64url");
    let isUsed = false;
    const { item, done, extend } = expectItem<ExpectedVisit>(this.#visits, this.#maxMs, (end) => ({
      secret: digest(id),
      isTaken: false,
      end,
      subject,
      cookie: tagOf(id),
      open: async (browser) => {
        const redirectUri = `${address}${CALLBACK}`;
        const login = await begin(redirectUri);
        isUsed = true;
        this.#expect(login, redirectUri, browser).then(() => end(), end);
        return login;
      },
    }));
    return {
      url: `${address}${PUBLIC_LOGIN_PATH}${withPlace(id, this.#here())}`,
      get isUsed() {
        return isUsed;
      },
      done,
      extend,
      cancel: () => item.end(new Error("the sign-in was cancelled")),
    };
  }

  /** Answers a request below `PUBLIC_LOGIN_PATH` whose Host and Origin have been checked. */
  async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method, url = "" } = request;
    const [path = "", query = ""] = url.split("?", 2);
    const [id = ""] = path.slice(PUBLIC_LOGIN_PATH.length).split(".");
    if (method === "GET" && path === CALLBACK) await this.#finish(query, request, response);
    else if (method === "GET") this.#show(id, request, response);
    else if (method === "POST") await this.#open(id, request, response);
    else sendPage(response, "gone");
  }

  /** Ends all pending logins. */
  close(): void {
    for (const item of [...this.#visits, ...this.#returns])
      item.end(new Error("the program that asked for the sign-in has ended"));
  }

  #expect(login: PendingLogin, redirectUri: string, browser: Buffer): Promise<void> {
    return expectItem<ExpectedReturn>(this.#returns, this.#maxMs, (end) => ({
      secret: digest(login.state),
      isTaken: false,
      end,
      browser,
      finish: (query) => login.finish(`${redirectUri}?${query}`),
    })).done;
  }

  #show(id: string, { headers }: IncomingMessage, response: ServerResponse): void {
    const address = this.#address();
    const visit = find(this.#visits, id);
    if (visit === undefined || address === undefined) return sendPage(response, "gone");
    // A browser that only guesses what the user will open is not a visit.
    if (String(headers["sec-purpose"] ?? "").includes("prefetch"))
      return sendPage(response, "unavailable");
    sendConfirmation(response, visit.subject, address, loginCookie(visit.cookie, address));
  }

  async #open(id: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const form = await readSmallForm(request);
    const address = this.#address();
    const visit = find(this.#visits, id);
    if (visit === undefined || address === undefined) return sendPage(response, "gone");
    const value = cookieIn(request.headers.cookie, visit.cookie);
    // A page of another site can send a form, but not the cookie, and it does not know the value.
    if (value === undefined || form?.get("confirm") !== value)
      return sendPage(response, "otherBrowser");
    visit.isTaken = true;
    try {
      const browser = loginCookie("", address).value;
      const { state, url } = await visit.open(digest(browser));
      // A further cookie, found by the state with which the browser returns.
      const kept = cookieHeader(tagOf(state), address, withPlace(browser, this.#here()));
      response.setHeader("set-cookie", [kept, expiredCookie(visit.cookie, address)]);
      sendRedirect(response, url, 303);
    } catch {
      // The link was of no use, so it can be opened again.
      visit.isTaken = false;
      sendPage(response, "unavailable");
    }
  }

  async #finish(
    query: string,
    { headers }: IncomingMessage,
    response: ServerResponse,
  ): Promise<void> {
    const states = new URLSearchParams(query).getAll("state");
    const [state = ""] = states;
    const waiting = states.length === 1 ? find(this.#returns, state) : undefined;
    if (waiting === undefined) return sendPage(response, "gone");
    const [value] = cookieIn(headers.cookie, tagOf(state))?.split(".") ?? [];
    if (value === undefined || !timingSafeEqual(digest(value), waiting.browser))
      return sendPage(response, "otherBrowser");
    const login = take(this.#returns, state);
    if (login === undefined) return sendPage(response, "gone");
    response.setHeader("set-cookie", expiredCookie(tagOf(state), this.#address() ?? ""));
    try {
      await login.finish(query);
      sendPage(response, "signedIn");
      login.end();
    } catch (error) {
      sendPage(response, "notSignedIn");
      login.end(error);
    }
  }
}

/** The replica at which a request about a login has to arrive, as `here` names it; undefined if it does not say. */
export function placeOfLogin({ url = "", headers }: IncomingMessage): string | undefined {
  const [path = "", query = ""] = url.split("?", 2);
  if (path !== CALLBACK) return path.split(".")[1];
  const state = new URLSearchParams(query).get("state") ?? "";
  return cookieIn(headers.cookie, tagOf(state))?.split(".")[1];
}

function withPlace(secret: string, place: string): string {
  return place === "" ? secret : `${secret}.${place}`;
}
