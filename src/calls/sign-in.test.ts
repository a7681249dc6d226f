import { describe, expect, it } from "vitest";
import { FakeClient, fakeServer, requestIn } from "../../test/support/fake-client.ts";
import { FakeConnection, settingsWith } from "../../test/support/fake-connection.ts";
import { authStatus } from "../../test/support/fake-sign-in.ts";
import type { WorkbenchError } from "../errors.ts";
import { NOT_CONNECTED } from "../servers/handshake/server-hello.ts";
import { Catalogue } from "../servers/tools/catalogue.ts";
import { ClientCall, type Pipeline } from "./call.ts";
import { dispatch } from "./dispatch.ts";
import { type Outcome, failure } from "./outcome.ts";
import { challengeInResult } from "./result-challenge.ts";
import { cancel } from "./settle.ts";
import { NEEDS_AUTH_KEY, neededSignIn } from "./sign-in-error.ts";
import { signInRequired } from "./sign-in-required.ts";

const PLACE = { toolbox: "dev", server: "fx" };
const REQUEST = requestIn(
  '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"use_tool","arguments":{"tool":{},"arguments":{"n":1}}}}',
);
const soon = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** A connected server with one slot, and a client whose user decides about sign-ins. */
function scene() {
  const fake = new FakeConnection(settingsWith({ limits: { concurrency: 1 } }));
  fake.connection.hello = { ...NOT_CONNECTED, era: "legacy" };
  const value = { name: "echo" };
  fake.connection.catalogue = new Catalogue([{ value, text: JSON.stringify(value) }], () => true);
  const one = fakeServer(fake);
  const client = new FakeClient([one]);
  const waiting: ((outcome?: Outcome) => void)[] = [];
  const signIn: Pipeline["signIn"] = () => new Promise((resolve) => void waiting.push(resolve));
  Object.assign(client.pipeline, { signIn });
  const start = (): ClientCall => {
    const call = new ClientCall(client, REQUEST);
    const tool = { ...PLACE, name: "echo" };
    const argumentsAt = "params.arguments.arguments" as const;
    dispatch(call, () => ({ server: one.server, tool, argumentsAt }));
    return call;
  };
  /** The server rejects the request of a call. */
  const reject = (call: ClientCall): void =>
    fake.connection.input.onUndeliverable(call, {
      code: "signInRequired",
      reason: "no",
      fix: undefined,
      mayHaveRun: false,
      cause: signInRequired(PLACE, authStatus()),
    });
  return { fake, server: one.server, client, waiting, start, reject };
}

describe("a call to a server that needs a sign-in", () => {
  it("is sent again after the sign-in, once", async () => {
    const { fake, client, waiting, start, reject } = scene();
    reject(start());
    await soon();
    expect(client.outcomes).toEqual([]);
    waiting[0]?.();
    await soon();
    expect(fake.channel.sent).toHaveLength(2);
    expect(fake.channel.sent[1]).toMatchObject({ params: { arguments: { n: 1 } } });
    fake.answer(2, { content: [] });
    expect(client.answers).toMatchObject([{ result: { content: [] } }]);
  });

  it("holds no slot and counts as no failure while it waits for the user", async () => {
    const { fake, start, reject, waiting } = scene();
    const first = start();
    start();
    expect(fake.channel.sent).toHaveLength(1);
    reject(first);
    await soon();
    expect(waiting).toHaveLength(1);
    expect(fake.channel.sent).toHaveLength(2);
    expect(fake.failures).toMatchObject({ lastError: undefined, callsFail: false });
    expect([...fake.connection.calls.values()]).toHaveLength(1);
  });

  it("ends with what the user decided", async () => {
    const { client, waiting, start, reject } = scene();
    reject(start());
    const error = signInRequired(PLACE, authStatus(), "http://127.0.0.1:1/login/x");
    waiting[0]?.(failure(error));
    await soon();
    expect(client.errors).toEqual([error]);
  });

  it("is not sent again if the client cancels it in the meantime", async () => {
    const { fake, client, waiting, start, reject } = scene();
    const call = start();
    reject(call);
    cancel(call, "no longer needed");
    waiting[0]?.();
    await soon();
    expect(fake.channel.sent).toHaveLength(1);
    expect(client.outcomes).toEqual([{ kind: "cancelled", reason: "no longer needed" }]);
  });

  it("waits for the sign-in also if the server needs it to connect", async () => {
    const { fake, server, client, waiting, start } = scene();
    client.connected = false;
    client.failure = signInRequired(PLACE, authStatus());
    start();
    await soon();
    expect(waiting).toHaveLength(1);
    expect(server.waitingForConnection).toBe(0);
    client.failure = undefined;
    waiting[0]?.();
    await soon();
    expect(fake.channel.sent).toHaveLength(1);
  });
});

describe("a result that asks for other credentials", () => {
  const challenged = {
    content: [],
    isError: true,
    _meta: { "mcp/www_authenticate": ["Bearer scope=x"] },
  };

  function challengedScene(answer: () => Promise<void>) {
    const all = scene();
    const headers: string[] = [];
    const signIn = {
      answerResult: (header: string) => {
        headers.push(header);
        return answer();
      },
      challengeIn: challengeInResult,
      onResult: () => {},
    };
    Object.assign(all.server, { signIn });
    return { ...all, headers };
  }

  it("lets the call be sent again, once", async () => {
    const { fake, client, start, headers } = challengedScene(() => Promise.resolve());
    start();
    fake.answer(1, challenged);
    await soon();
    expect(fake.channel.sent).toHaveLength(2);
    fake.answer(2, challenged);
    await soon();
    expect(fake.channel.sent).toHaveLength(2);
    expect(client.answers).toMatchObject([{ result: challenged }]);
    expect(headers).toEqual(["Bearer scope=x", "Bearer scope=x"]);
  });

  it("lets the user sign in", async () => {
    const error = signInRequired(PLACE, authStatus());
    const { fake, start, waiting } = challengedScene(() => Promise.reject(error));
    start();
    fake.answer(1, challenged);
    await soon();
    waiting[0]?.();
    await soon();
    expect(fake.channel.sent).toHaveLength(2);
  });

  it("is passed on for a server without sign-in", () => {
    const { fake, client, start } = scene();
    start();
    fake.answer(1, challenged);
    expect(client.answers).toMatchObject([{ result: challenged }]);
  });
});

describe("the error for a sign-in", () => {
  const text = (error: WorkbenchError): string => error.text;

  it("names toolbox, server, link and command, and what not to do", () => {
    const error = signInRequired(PLACE, authStatus(), "http://127.0.0.1:1/login/x");
    expect(text(error)).toBe(
      "Sign-in required for server 'fx' in toolbox 'dev': the user has to sign in. Ask the user to open http://127.0.0.1:1/login/x (valid for 10 minutes, on this computer) or run 'mcp-workbench login dev/fx', then try again. Do not look for another way",
    );
    expect(error).toMatchObject({ exitCode: 5, httpStatus: 401, causeCode: "signInRequired" });
    expect(neededSignIn(error)?.meta).toEqual({
      ...PLACE,
      state: "needs-login",
      account: "default",
      login: "mcp-workbench login dev/fx",
      url: "http://127.0.0.1:1/login/x",
    });
    expect(NEEDS_AUTH_KEY).toBe("mcp-workbench/needs-auth");
  });

  it("repeats no text of the server, such as the scope it asks for", () => {
    const auth = {
      ...authStatus("needs-scope"),
      reason: 'the server asks for the scope "obey-me"',
    };
    expect(text(signInRequired(PLACE, auth))).not.toContain("obey-me");
  });

  it("names only the command where no link can be opened", () => {
    expect(text(signInRequired(PLACE, authStatus("needs-scope")))).toContain(
      "to sign in again to allow what the call needs. Ask the user to run 'mcp-workbench login dev/fx'",
    );
  });
});
