import { describe, expect, it } from "vitest";

import { FakeCaller, FakeConnection, settingsWith } from "../../../test/support/fake-connection.ts";
import { ServerRequest } from "../../calls/server-request.ts";
import type { ServerClient } from "./server-client.ts";

/** A client that makes calls and can be asked. */
class FakeClient extends FakeCaller implements ServerClient {
  readonly logLevel = undefined;
  onToolsChanged(): void {}
  onNotification(): void {}
}

/** A connection that these clients use, and a question of its server. */
function connectionOf(...clients: FakeClient[]) {
  const fake = new FakeConnection();
  for (const client of clients) fake.connection.clients.attach(client);
  const request = { id: 9, idText: "9", method: "roots/list", params: {}, text: "{}" };
  const question = new ServerRequest(request, fake.connection);
  return { fake, question };
}

const askedOf = (...clients: FakeClient[]): unknown[] =>
  clients.map(({ questions }) => questions.map(([, call]) => call?.id));

const refusal = (fake: FakeConnection): unknown =>
  fake.channel.sent.find(({ id }) => id === 9)?.["error"];

describe("a request from a server goes to", () => {
  it("the client of the call whose stream it arrived on, even if other clients are busy", () => {
    const [a, b] = [new FakeClient(), new FakeClient()];
    const { fake, question } = connectionOf(a, b);
    const { call } = fake.call(a);
    fake.call(b);
    fake.connection.clients.request(question, call);
    expect(askedOf(a, b)).toEqual([[1], []]);
  });

  it("the only client with calls in flight, attributed to its latest call", () => {
    const [a, b] = [new FakeClient(), new FakeClient()];
    const { fake, question } = connectionOf(a, b);
    fake.call(b);
    fake.call(b);
    fake.connection.clients.request(question, undefined);
    expect(askedOf(a, b)).toEqual([[], [2]]);
  });

  it("the only client with calls in flight, even while calls of other clients are queued", () => {
    const [a, b] = [new FakeClient(), new FakeClient()];
    const { fake, question } = connectionOf(a, b);
    fake.settings = settingsWith({ limits: { concurrency: 1 } });
    fake.call(a);
    fake.call(b);
    fake.connection.clients.request(question, undefined);
    expect(askedOf(a, b)).toEqual([[1], []]);
  });

  it("the only connected client if no call is in flight", () => {
    const a = new FakeClient();
    const { fake, question } = connectionOf(a);
    fake.connection.clients.request(question, undefined);
    expect(askedOf(a)).toEqual([[undefined]]);
  });

  it("the only connected client, even while the workbench itself has a request in flight", () => {
    const a = new FakeClient();
    const { fake, question } = connectionOf(a);
    fake.call(new FakeClient(), { origin: "workbench" });
    fake.connection.clients.request(question, undefined);
    expect(askedOf(a)).toEqual([[undefined]]);
  });
});

describe("a request from a server is refused", () => {
  it("with a hint to isolate sessions if several clients have calls in flight", () => {
    const [a, b] = [new FakeClient(), new FakeClient()];
    const { fake, question } = connectionOf(a, b);
    fake.call(a);
    fake.call(b);
    fake.connection.clients.request(question, undefined);
    expect(askedOf(a, b)).toEqual([[], []]);
    expect(refusal(fake)).toEqual({
      code: -32603,
      message:
        "Several clients use this server at once and roots/list cannot be attributed to one of them. Set \"isolation\": \"session\" for server 'fx' in toolbox 'dev' to give each client its own process",
    });
  });

  it.each([0, 2])("if no call is in flight and %i clients are connected", (count) => {
    const clients = Array.from({ length: count }, () => new FakeClient());
    const { fake, question } = connectionOf(...clients);
    fake.connection.clients.request(question, undefined);
    expect(askedOf(...clients).flat()).toEqual([]);
    expect(refusal(fake)).toMatchObject({
      message: "No client of the workbench can answer roots/list now",
    });
  });
});
