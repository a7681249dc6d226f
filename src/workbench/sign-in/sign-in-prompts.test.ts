import { describe, expect, it } from "vitest";
import { FakeConnection } from "../../../test/support/fake-connection.ts";
import { FakeClient, fakeServer, requestIn } from "../../../test/support/fake-client.ts";
import { waitFor } from "../../../test/support/proc.ts";
import { GENEROUS_MS } from "../../../test/support/raw-client.ts";
import { authStatus } from "../../../test/support/fake-sign-in.ts";
import { ClientCall } from "../../calls/call.ts";
import { LOCAL_PRINCIPAL, type Principal } from "../../calls/principal.ts";
import type { ServerRequest } from "../../calls/server-request.ts";
import { cancel } from "../../calls/settle.ts";
import { type NeededSignIn, neededSignIn } from "../../calls/sign-in-error.ts";
import { signInRequired } from "../../calls/sign-in-required.ts";
import type { TargetSignIn } from "../../calls/target-sign-in.ts";
import { NO_LOG } from "../../log.ts";
import type { Era } from "../../protocol/client-profile.ts";
import type { LoginLink } from "../../sign-in/login-listener.ts";
import type { IncomingNotification, JsonObject } from "../../wire/messages.ts";
import { SignInPrompts } from "./sign-in-prompts.ts";

const PLACE = { toolbox: "dev", server: "fx" };
const URLS = { elicitation: { url: {} } };

/** A user who signs in, gives up, or does nothing. */
class FakeTarget implements TargetSignIn {
  readonly place = { toolbox: "dev", server: "api" };
  readonly user = undefined;
  readonly origin = "https://api.example";
  readonly usesBrowser = true;
  readonly redirectUri = undefined;
  readonly #waiting = new Set<() => void>();
  isSignedIn = false;

  beginLogin(): Promise<never> {
    return Promise.reject(new Error("not used"));
  }

  whenSignedIn(signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      if (this.isSignedIn) resolve();
      this.#waiting.add(resolve);
      signal.addEventListener("abort", () => reject(signal.reason as Error));
    });
  }

  challengeIn(): undefined {
    return undefined;
  }

  answerResult(): Promise<void> {
    return Promise.resolve();
  }

  onResult(): void {}

  signIn(): void {
    this.isSignedIn = true;
    for (const resolve of this.#waiting) resolve();
  }
}

class FakeLink implements LoginLink {
  readonly url: string;
  isUsed = false;
  fail = (_error: Error): void => {};
  readonly done = new Promise<void>((_, reject) => (this.fail = reject));

  constructor(number: number) {
    this.url = `http://127.0.0.1:1/login/${number}`;
    this.done.catch(() => {});
  }

  extend(): void {}
  cancel(): void {}
}

class AskedClient extends FakeClient {
  readonly profile: { readonly client: { readonly capabilities: JsonObject } };
  readonly notifications: IncomingNotification[] = [];
  readonly withdrawn: ServerRequest[] = [];

  constructor(era: Era, capabilities: JsonObject) {
    super([fakeServer(new FakeConnection())], era);
    this.profile = { client: { capabilities } };
  }

  override onServerRequest(question: ServerRequest, call: ClientCall | undefined): void {
    super.onServerRequest(question, call);
    question.withdrawn = () => this.withdrawn.push(question);
  }

  onCallNotification(_call: unknown, notification: IncomingNotification): void {
    this.notifications.push(notification);
  }
}

function scene({
  era = "legacy" as Era,
  capabilities = URLS as JsonObject,
  principal = undefined as Principal | undefined,
  maxWaitMs = 60_000,
  holdMs = 60_000,
} = {}) {
  const target = new FakeTarget();
  const links: FakeLink[] = [];
  const prompts = new SignInPrompts({
    log: NO_LOG,
    placeOfLinks: ({ kind }) => (kind === "local" ? undefined : "local"),
    maxWaitMs,
    holdMs,
    links: {
      linkFor: async () => {
        const last = links.at(-1);
        if (last !== undefined && !last.isUsed) return last;
        links.push(new FakeLink(links.length + 1));
        return links.at(-1);
      },
      close: () => {},
    },
  });
  const client = new AskedClient(era, capabilities);
  if (principal !== undefined) Object.assign(client, { principal });
  const needed = neededSignIn(signInRequired(PLACE, authStatus())) as NeededSignIn;
  const start = (method = "tools/call") => {
    const call = new ClientCall(
      client,
      requestIn(`{"jsonrpc":"2.0","id":1,"method":"${method}","params":{"name":"echo"}}`),
    );
    const server = { place: PLACE, signIn: target } as unknown as FakeServerTarget;
    call.destination = { server, subject: "echo" };
    return { call, outcome: prompts.handle(call, needed) };
  };
  const questions = (): ServerRequest[] => client.questions.map(([question]) => question);
  const asked = (count = 1): Promise<ServerRequest> =>
    waitFor(() => questions()[count - 1], GENEROUS_MS, `question ${count}`);
  return { target, links, client, start, questions, asked };
}

type FakeServerTarget = NonNullable<NonNullable<ClientCall["destination"]>["server"]>;

const TEXT = {
  kind: "failure",
  error: {
    code: "SIGN_IN_REQUIRED",
    text: expect.stringContaining("http://127.0.0.1:1/login/1") as string,
  },
};

describe("a call that needs a sign-in", () => {
  it.each([
    ["a client that supports only forms", { capabilities: { elicitation: {} } }, "tools/call"],
    ["a client without elicitation", { capabilities: {} }, "tools/call"],
    ["a list", {}, "tools/list"],
  ])("fails with a link and the command for %s", async (_, options, method) => {
    const { start, questions } = scene(options);
    expect(await start(method).outcome).toMatchObject(TEXT);
    expect(questions()).toEqual([]);
  });

  it("fails with the command alone for the command line", async () => {
    const { start, links } = scene({ principal: LOCAL_PRINCIPAL });
    const outcome = await start().outcome;
    expect(outcome).toMatchObject({
      error: { text: expect.stringContaining("run 'mcp-workbench login dev/fx'") as string },
    });
    expect(JSON.stringify(outcome)).not.toContain("/login/");
    expect(links).toEqual([]);
  });

  it("asks a legacy client, waits, and reports when the user is done", async () => {
    const { start, asked, target, client } = scene();
    const { outcome } = start();
    const question = await asked();
    expect(question.request.params).toMatchObject({
      mode: "url",
      url: "http://127.0.0.1:1/login/1",
      message: expect.stringContaining("https://api.example") as string,
    });
    question.answer('{"action":"accept"}');
    target.signIn();
    expect(await outcome).toBeUndefined();
    const { elicitationId } = question.request.params;
    expect(client.notifications).toEqual([
      { method: "notifications/elicitation/complete", params: { elicitationId } },
    ]);
  });

  it("asks a legacy client once for all its calls", async () => {
    const { start, asked, target, questions } = scene();
    const outcomes = [start(), start(), start()].map(({ outcome }) => outcome);
    await asked();
    target.signIn();
    expect(await Promise.all(outcomes)).toEqual([undefined, undefined, undefined]);
    expect(questions()).toHaveLength(1);
  });

  it("is asked for again by another call if the one that asked was cancelled", async () => {
    const { start, asked, target, questions, links } = scene();
    const first = start();
    const second = start();
    await asked();
    // A browser is on its way, so the link leads nowhere now.
    Object.assign(links[0] ?? {}, { isUsed: true });
    cancel(first.call, "no longer needed");
    const { request } = await asked(2);
    expect(request.params["url"]).toBe("http://127.0.0.1:1/login/2");
    target.signIn();
    expect(await second.outcome).toBeUndefined();
    expect(questions()).toHaveLength(2);
  });

  it.each(["decline", "cancel"])("fails with the text if the user answers %s", async (action) => {
    const { start, asked } = scene();
    const { outcome } = start();
    (await asked()).answer(`{"action":"${action}"}`);
    expect(await outcome).toMatchObject(TEXT);
  });

  it("fails with the text if the login fails in the browser", async () => {
    const { start, asked, links } = scene();
    const { outcome } = start();
    (await asked()).answer('{"action":"accept"}');
    links[0]?.fail(new Error("access denied"));
    expect(await outcome).toMatchObject(TEXT);
  });

  it("offers a new link if the one in the question was used in vain", async () => {
    const { start, asked, links } = scene();
    const { outcome } = start();
    (await asked()).answer('{"action":"accept"}');
    Object.assign(links[0] ?? {}, { isUsed: true });
    links[0]?.fail(new Error("access denied"));
    expect(await outcome).toMatchObject({
      error: { text: expect.stringContaining("http://127.0.0.1:1/login/2") as string },
    });
  });

  it("fails with the text when the time is over, and withdraws the question", async () => {
    const { start, asked, client } = scene({ maxWaitMs: 1 });
    const keepAlive = setInterval(() => {}, 1000);
    const { outcome } = start();
    const question = await asked();
    expect(await outcome).toMatchObject(TEXT);
    expect(client.withdrawn).toEqual([question]);
    clearInterval(keepAlive);
  });

  it("asks no more than three times for one call", async () => {
    const { start, asked, target } = scene();
    target.isSignedIn = true;
    const { call, outcome } = start();
    await asked();
    expect(await outcome).toBeUndefined();
    call.signIns = 3;
    const { call: again, outcome: last } = start();
    again.signIns = 3;
    expect(await last).toMatchObject(TEXT);
  });

  it("waits for a modern client to come back before it continues", async () => {
    const { start, asked, target } = scene({ era: "modern" });
    const { outcome } = start();
    const question = await asked();
    expect(question.request.params).not.toHaveProperty("elicitationId");
    target.signIn();
    let isDone = false;
    void outcome.then(() => (isDone = true));
    await new Promise((resolve) => setImmediate(resolve));
    expect(isDone).toBe(false);
    question.answer('{"action":"accept"}');
    expect(await outcome).toBeUndefined();
  });

  it("asks a modern client again if it comes back too early, with a new link if one was used", async () => {
    const { start, asked, target, links } = scene({ era: "modern", holdMs: 1 });
    const keepAlive = setInterval(() => {}, 1000);
    const { outcome } = start();
    const first = await asked();
    Object.assign(links[0] ?? {}, { isUsed: true });
    first.answer('{"action":"accept"}');
    const second = await asked(2);
    expect(second.request.params["url"]).toBe("http://127.0.0.1:1/login/2");
    target.signIn();
    second.answer('{"action":"accept"}');
    expect(await outcome).toBeUndefined();
    clearInterval(keepAlive);
  });
});
