import type { IncomingMessage, ServerResponse } from "node:http";

import type { ClientCall } from "../../calls/call.ts";
import { type Outcome, failure } from "../../calls/outcome.ts";
import type { Principal } from "../../calls/principal.ts";
import type { NeededSignIn } from "../../calls/sign-in-error.ts";
import { signInRequired } from "../../calls/sign-in-required.ts";
import type { TargetSignIn } from "../../calls/target-sign-in.ts";
import { timeLimit } from "../../calls/time-limit.ts";
import type { WorkbenchError } from "../../errors.ts";
import type { Logger } from "../../log.ts";
import type { LoginLink } from "../../sign-in/login-listener.ts";
import { isObject } from "../../text/json.ts";
import { LoginLinks } from "./login-links.ts";
import { PublicLinks } from "./public-links.ts";
import { type UrlQuestion, askToOpen } from "./url-question.ts";

/** How long a call waits for the user, in all. */
const MAX_WAIT_MS = 10 * 60_000;
/** How long a modern request is held for a sign-in under way. Clients give up after a minute. */
const HOLD_MS = 45_000;
/** How often a user is asked for one call: a server that is not satisfied never will be. */
const MAX_SIGN_INS = 3;
/** The most calls that wait for users at the same time. */
const MAX_WAITING = 1000;

/** The requests during which a client may be asked. */
const MAY_ASK: ReadonlySet<string> = new Set(["tools/call", "prompts/get", "resources/read"]);

export interface SignInPromptsOptions {
  readonly log: Logger;
  /** Where a link for this principal leads to; undefined if it may not have one. */
  readonly placeOfLinks: (principal: Principal, signIn: TargetSignIn) => LinkPlace | undefined;
  /** Where browsers on other machines reach the workbench. */
  readonly publicAddress?: () => string | undefined;
  /** Undefined if there are no other replicas. */
  readonly cluster?: ConstructorParameters<typeof PublicLinks>[1];
  readonly maxWaitMs?: number;
  readonly holdMs?: number;
  readonly links?: Pick<LoginLinks, "linkFor" | "close">;
}

/** `local`: to this machine. `public`: to the address of the workbench, with a page that says for whom it is. */
export type LinkPlace = "local" | "public";

/** How a question to the user ended. */
type Verdict = "signed-in" | "refused" | "late";

/** Asks users to sign in: through their client if it can open a URL, or with the text of an error. */
export class SignInPrompts {
  readonly #options: SignInPromptsOptions;
  readonly #links: Pick<LoginLinks, "linkFor" | "close">;
  readonly #publicSource: PublicLinks;
  readonly #publicLinks: Pick<LoginLinks, "linkFor" | "close">;
  /** The questions that a legacy client has not answered yet; its other calls wait for the same. */
  readonly #open = new WeakMap<object, Map<TargetSignIn, Promise<Verdict>>>();
  #waiting = 0;

  constructor(options: SignInPromptsOptions) {
    this.#options = options;
    this.#links = options.links ?? new LoginLinks(options.log);
    this.#publicSource = new PublicLinks(
      options.publicAddress ?? (() => undefined),
      options.cluster,
    );
    this.#publicLinks = options.links ?? new LoginLinks(options.log, this.#publicSource);
  }

  /** The outcome of a call that needs a sign-in; undefined if there is one now. */
  async handle(call: ClientCall, needed: NeededSignIn): Promise<Outcome | undefined> {
    const signIn = call.destination?.server?.signIn ?? needed.signIn;
    if (signIn === undefined) return failure(signInRequired(needed.place, needed.auth));
    const link = await this.#linkFor(call.principal, signIn);
    const refused = failure(signInRequired(needed.place, needed.auth, link?.url));
    const mayAsk =
      link !== undefined &&
      MAY_ASK.has(call.method) &&
      canOpenUrls(call) &&
      ++call.signIns <= MAX_SIGN_INS &&
      this.#waiting < MAX_WAITING;
    if (!mayAsk) return refused;
    this.#waiting++;
    try {
      const verdict = await this.#ask(call, needed, signIn, link);
      call.wasChallenged = false;
      if (verdict === "signed-in") return undefined;
      if (call.state === "settled") return refused;
      // The user may have opened the link, which is for one use.
      return failure(await this.withLink(needed, call.principal, signIn));
    } finally {
      this.#waiting--;
    }
  }

  /** The same error with a link, if the user can open one. */
  async withLink(
    needed: NeededSignIn,
    principal: Principal,
    signIn: TargetSignIn | undefined,
  ): Promise<WorkbenchError> {
    const link = signIn && (await this.#linkFor(principal, signIn));
    return signInRequired(needed.place, needed.auth, link?.url);
  }

  /** A link for a user of this machine. */
  async loginLink(signIn: TargetSignIn): Promise<string | undefined> {
    return (await this.#links.linkFor(signIn))?.url;
  }

  /** Answers a browser that has opened a link to the address of the workbench, or returns to it. */
  answerBrowser(request: IncomingMessage, response: ServerResponse): Promise<void> {
    return this.#publicSource.handle(request, response);
  }

  close(): void {
    this.#links.close();
    this.#publicLinks.close();
  }

  async #linkFor(principal: Principal, signIn: TargetSignIn): Promise<LoginLink | undefined> {
    const place = this.#options.placeOfLinks(principal, signIn);
    if (place === undefined) return undefined;
    return (place === "public" ? this.#publicLinks : this.#links).linkFor(signIn);
  }

  #ask(
    call: ClientCall,
    needed: NeededSignIn,
    signIn: TargetSignIn,
    link: LoginLink,
  ): Promise<Verdict> {
    return call.caller.era === "modern"
      ? this.#askModern(call, needed, signIn, link)
      : this.#askOnce(call, needed, signIn, link);
  }

  /** A legacy client is asked once for each server, however many of its calls need it. */
  async #askOnce(
    call: ClientCall,
    needed: NeededSignIn,
    signIn: TargetSignIn,
    link: LoginLink,
  ): Promise<Verdict> {
    const client = call.caller.client ?? call.caller;
    const open = this.#open.get(client) ?? new Map<TargetSignIn, Promise<Verdict>>();
    this.#open.set(client, open);
    const asked = open.get(signIn);
    if (asked !== undefined) {
      const verdict = await untilAborted(asked, call.signal);
      // The call that asked was cancelled.
      if (verdict !== "late" || call.state === "settled") return verdict;
      // A browser may be on its way with the first link.
      const next = await this.#linkFor(call.principal, signIn);
      return next === undefined ? "refused" : this.#askOnce(call, needed, signIn, next);
    }
    const question = this.#askLegacy(call, needed, signIn, link).finally(() => open.delete(signIn));
    open.set(signIn, question);
    return question;
  }

  /** The call continues as soon as the user has signed in, whatever the client says about it. */
  async #askLegacy(
    call: ClientCall,
    needed: NeededSignIn,
    signIn: TargetSignIn,
    link: LoginLink,
  ): Promise<Verdict> {
    const { maxWaitMs = MAX_WAIT_MS } = this.#options;
    const limit = timeLimit(call.signal, maxWaitMs);
    const question = this.#question(call, needed, signIn, link);
    const refused = question.answer.then((isAccepted) =>
      // After "yes" the user is in the browser.
      isAccepted ? link.done.then(never, () => "refused" as const) : ("refused" as const),
    );
    const signedIn = signIn.whenSignedIn(limit.signal).then(
      () => "signed-in" as const,
      () => "late" as const,
    );
    const verdict = await Promise.race([signedIn, refused]).finally(() => limit.end());
    question.withdraw();
    if (verdict === "signed-in") question.complete();
    return verdict;
  }

  /** A modern client comes back when its user has answered; it may be too early for the result. */
  async #askModern(
    call: ClientCall,
    needed: NeededSignIn,
    signIn: TargetSignIn,
    first: LoginLink,
  ): Promise<Verdict> {
    const { maxWaitMs = MAX_WAIT_MS, holdMs = HOLD_MS } = this.#options;
    const latest = performance.now() + maxWaitMs;
    let link: LoginLink | undefined = first;
    while (link !== undefined && performance.now() < latest) {
      const question = this.#question(call, needed, signIn, link);
      const isAccepted = await untilAborted(question.answer, call.signal);
      if (isAccepted !== true) return "refused";
      const limit = timeLimit(call.signal, holdMs);
      const signedIn = signIn.whenSignedIn(limit.signal).then(
        () => true,
        () => false,
      );
      const failed = link.done.then(never, () => false);
      const isSignedIn = await Promise.race([signedIn, failed]).finally(() => limit.end());
      if (isSignedIn) return "signed-in";
      if (call.state === "settled") return "late";
      link = await this.#linkFor(call.principal, signIn);
    }
    return "late";
  }

  #question(
    call: ClientCall,
    { place, auth }: NeededSignIn,
    { origin, user }: TargetSignIn,
    { url }: LoginLink,
  ): UrlQuestion {
    const what =
      auth.state === "needs-scope" ? "Sign in again, to allow what this call needs" : "Sign in";
    const page = user === undefined ? "its sign-in page" : "a page that leads there";
    const message = `${what}, at the server ${origin}. The link opens ${page}.`;
    return askToOpen(call, place, { url, message });
  }
}

/** An empty object means that a client supports only forms. */
function canOpenUrls({ caller: { profile } }: ClientCall): boolean {
  const elicitation = profile?.client.capabilities["elicitation"];
  return isObject(elicitation) && isObject(elicitation["url"]);
}

function never(): Promise<never> {
  return new Promise(() => {});
}

/** "late" if the signal is aborted first. */
function untilAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T | "late"> {
  return new Promise((resolve, reject) => {
    const abort = (): void => resolve("late");
    if (signal.aborted) return abort();
    signal.addEventListener("abort", abort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener("abort", abort));
  });
}
