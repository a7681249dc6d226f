import { describe, expect, it } from "vitest";

import { FakeCaller, FakeConnection, settingsWith } from "../../test/support/fake-connection.ts";
import type { ServerClient } from "../servers/connection/server-client.ts";
import type { Server } from "../servers/server.ts";
import type { IncomingNotification } from "../wire/messages.ts";
import { type Principal, STDIO_PRINCIPAL } from "./principal.ts";
import { ServerRequest } from "./server-request.ts";
import { cancel } from "./settle.ts";
import type { ClientCall } from "./call.ts";

/** A client of a shared workbench. */
class SharedClient extends FakeCaller implements ServerClient {
  readonly logLevel = undefined;
  readonly principal: Principal;
  readonly logs: string[] = [];

  constructor(client: string) {
    super();
    this.principal = { ...STDIO_PRINCIPAL, client };
  }

  onToolsChanged(): void {}

  onNotification(_server: unknown, _connection: unknown, news: IncomingNotification): void {
    this.logs.push(news.method);
  }
}

const LOG = { method: "notifications/message", params: {} };

class Scene {
  readonly fake: FakeConnection;
  readonly a = new SharedClient("a");
  readonly b = new SharedClient("b");
  #nextId = 100;

  constructor(fake = new FakeConnection()) {
    this.fake = fake;
    for (const client of [this.a, this.b]) fake.connection.clients.attach(client);
  }

  /** The server asks; the number of questions that each client has received. */
  ask(method = "elicitation/create"): [number, number] {
    const id = this.#nextId++;
    const request = { id, idText: `${id}`, method, params: {}, text: "{}" };
    const question = new ServerRequest(request, this.fake.connection);
    this.fake.connection.clients.request(question, undefined);
    return [this.a.questions.length, this.b.questions.length];
  }

  /** The first question of the server, which shows that it asks. */
  firstQuestion(): void {
    const { call } = this.fake.call(this.a);
    this.ask();
    this.a.questions.pop()?.[0].answer("{}");
    this.fake.answer(call.id);
  }

  /** The ids of the calls that were sent. */
  get sent(): unknown[] {
    return this.fake.channel.of("tools/call").map(({ id }) => id);
  }

  get refusals(): unknown[] {
    return this.fake.channel.sent.filter((message) => "error" in message);
  }
}

describe("calls of several clients of a shared workbench", () => {
  it("are sent together to a server that has not asked anything", () => {
    const scene = new Scene();
    scene.fake.call(scene.a);
    scene.fake.call(scene.b);
    expect(scene.sent).toEqual([1, 2]);
  });

  it("are sent together to a server that asks for the roots when it starts", () => {
    const scene = new Scene();
    scene.fake.call(scene.a);
    expect(scene.ask("roots/list")).toEqual([1, 0]);
    scene.fake.call(scene.b);
    expect(scene.sent).toEqual([1, 2]);
  });

  it("take turns once the server has asked, and each client gets its own questions", () => {
    const scene = new Scene();
    scene.firstQuestion();
    scene.fake.call(scene.a);
    scene.fake.call(scene.b);
    scene.fake.call(scene.a);
    expect(scene.sent).toEqual([1, 2]);
    expect(scene.ask()).toEqual([1, 0]);
    scene.a.questions[0]?.[0].answer("{}");
    scene.fake.answer(2);
    expect(scene.sent).toEqual([1, 2, 3]);
    expect(scene.ask()).toEqual([1, 1]);
    scene.b.questions[0]?.[0].answer("{}");
    scene.fake.answer(3);
    expect(scene.sent).toEqual([1, 2, 3, 4]);
    expect(scene.refusals).toEqual([]);
  });

  it("take turns after a first question that cannot be attributed was refused", () => {
    const scene = new Scene();
    scene.fake.call(scene.a);
    scene.fake.call(scene.b);
    expect(scene.ask()).toEqual([0, 0]);
    expect(scene.refusals).toMatchObject([
      { error: { message: expect.stringContaining("take turns from now on, so try again") } },
    ]);
    scene.fake.answer(1);
    scene.fake.call(scene.a);
    expect(scene.sent).toEqual([1, 2]);
    scene.fake.answer(2);
    expect(scene.sent).toEqual([1, 2, 3]);
  });

  it("of one client are sent together", () => {
    const scene = new Scene();
    scene.firstQuestion();
    scene.fake.call(scene.a);
    scene.fake.call(scene.a);
    expect(scene.sent).toEqual([1, 2, 3]);
  });

  it("of the client that is being asked do not wait for others, which wait for its answer", () => {
    const scene = new Scene();
    scene.firstQuestion();
    scene.fake.call(scene.a);
    scene.fake.call(scene.b);
    scene.ask();
    scene.fake.call(scene.a);
    expect(scene.sent).toEqual([1, 2, 4]);
  });

  it("continue when the one that waits longest is given up", () => {
    const scene = new Scene();
    scene.firstQuestion();
    scene.fake.call(scene.a);
    const waiting = scene.fake.call(scene.b).call as ClientCall;
    scene.fake.call(scene.a);
    cancel(waiting, "no longer needed");
    expect(scene.sent).toEqual([1, 2, 4]);
  });

  it("wait in a queue with a limit", () => {
    const scene = new Scene(new FakeConnection(settingsWith({ limits: { queue: 1 } })));
    scene.firstQuestion();
    scene.fake.call(scene.a);
    const refused = [0, 1].map(() => scene.fake.call(scene.b).refused?.code);
    expect(refused).toEqual([undefined, "SERVER_BUSY"]);
  });
});

describe("what a server sends after a client gave up a call", () => {
  function abandoned(callMs: number): Scene {
    const scene = new Scene(new FakeConnection(settingsWith({ timeouts: { callMs } })));
    const given = scene.fake.call(scene.a).call as ClientCall;
    cancel(given, "no longer needed");
    scene.fake.call(scene.b);
    return scene;
  }

  it("reaches no other client as long as the server may work on it", () => {
    const scene = abandoned(120_000);
    scene.fake.connection.clients.notify({} as Server, LOG, undefined);
    expect([scene.ask(), scene.b.logs]).toEqual([[0, 0], []]);
    expect(scene.refusals).toHaveLength(1);
  });

  it("reaches the client with calls in flight afterwards", () => {
    const scene = abandoned(0);
    scene.fake.connection.clients.notify({} as Server, LOG, undefined);
    expect([scene.ask(), scene.b.logs]).toEqual([[0, 1], [LOG.method]]);
  });

  it("reaches the same client if it has other calls in flight", () => {
    const scene = new Scene();
    cancel(scene.fake.call(scene.a).call as ClientCall, "no longer needed");
    scene.fake.call(scene.a);
    expect(scene.ask()).toEqual([1, 0]);
  });
});
