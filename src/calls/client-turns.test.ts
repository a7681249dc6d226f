import { afterEach, describe, expect, it, vi } from "vitest";

import { FakeCaller, FakeConnection, settingsWith } from "../../test/support/fake-connection.ts";
import type { ServerClient } from "../servers/connection/server-client.ts";
import type { Server } from "../servers/server.ts";
import type { IncomingNotification } from "../wire/messages.ts";
import { type Principal, STDIO_PRINCIPAL } from "./principal.ts";
import { type AskingServer, ClientTurns } from "./client-turns.ts";
import { ServerRequest } from "./server-request.ts";
import { cancel } from "./settle.ts";
import type { ClientCall } from "./call.ts";

/** A client of a shared workbench. */
class SharedClient extends FakeCaller implements ServerClient {
  logLevel: string | undefined;
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

afterEach(() => void vi.useRealTimers());

const LOG = { method: "notifications/message", params: {} };

class Scene {
  readonly fake: FakeConnection;
  readonly a = new SharedClient("a");
  readonly b = new SharedClient("b");
  #nextId = 100;

  constructor(fake = new FakeConnection(), server: AskingServer = { asksDuringCalls: false }) {
    this.fake = fake;
    const { calls } = fake.connection;
    calls.turns = new ClientTurns(calls, server);
    for (const client of [this.a, this.b]) fake.connection.clients.attach(client);
  }

  /** The server asks; the number of questions that each client has received. */
  ask(method = "elicitation/create", params = {}): [number, number] {
    const id = this.#nextId++;
    const request = { id, idText: `${id}`, method, params, text: "{}" };
    const question = new ServerRequest(request, this.fake.connection);
    this.fake.connection.clients.request(question, undefined);
    return this.asked;
  }

  get asked(): [number, number] {
    return [this.a.questions.length, this.b.questions.length];
  }

  notify(method: string, params = {}): void {
    this.fake.connection.clients.notify({} as Server, { method, params }, undefined);
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

describe("calls of tools that no client has called before", () => {
  function untried(): Scene {
    return new Scene(new FakeConnection(), { asksDuringCalls: false, quiet: new Set() });
  }

  it("wait for the first one, and are sent together from then on", () => {
    const scene = untried();
    scene.fake.call(scene.a);
    scene.fake.call(scene.b);
    scene.fake.call(scene.a);
    expect(scene.sent).toEqual([1, 3]);
    scene.fake.answer(1);
    expect(scene.sent).toEqual([1, 3, 2]);
    scene.fake.call(scene.a);
    expect(scene.sent).toEqual([1, 3, 2, 4]);
  });

  it("take turns if the first one makes the server ask", () => {
    const scene = untried();
    scene.fake.call(scene.a);
    scene.fake.call(scene.b);
    expect(scene.ask()).toEqual([1, 0]);
    scene.a.questions[0]?.[0].answer("{}");
    expect(scene.sent).toEqual([1]);
    scene.fake.answer(1);
    expect([scene.sent, scene.ask()]).toEqual([
      [1, 2],
      [1, 1],
    ]);
    expect(scene.refusals).toEqual([]);
  });

  it("do not wait long", () => {
    vi.useFakeTimers();
    const scene = untried();
    scene.fake.call(scene.a);
    scene.fake.call(scene.b);
    vi.advanceTimersByTime(1000);
    expect(scene.sent).toEqual([1]);
    vi.advanceTimersByTime(2000);
    expect(scene.sent).toEqual([1, 2]);
  });
});

describe("a question during calls of several clients", () => {
  function calling(): Scene {
    const scene = new Scene();
    scene.fake.call(scene.a);
    scene.fake.call(scene.b);
    return scene;
  }

  it("is refused, and calls take turns from then on", () => {
    const scene = calling();
    expect(scene.ask()).toEqual([0, 0]);
    expect(scene.refusals).toMatchObject([
      { id: 100, error: { message: expect.stringContaining("take turns from now on") } },
    ]);
    scene.fake.call(scene.a);
    expect(scene.sent).toEqual([1, 2]);
    scene.fake.answer(1);
    scene.fake.answer(2);
    expect(scene.sent).toEqual([1, 2, 3]);
    expect(scene.ask()).toEqual([1, 0]);
  });

  it("does not reach another client when its server answers without waiting for it", () => {
    const scene = calling();
    scene.ask();
    scene.fake.answer(1);
    expect([scene.asked, scene.refusals.length]).toEqual([[0, 0], 1]);
  });

  it("reaches the one whose task it is about, and no other", () => {
    const scene = calling();
    const { pipeline } = (scene.fake.call(scene.a).call as ClientCall).caller;
    const { place } = scene.fake.connection;
    for (const client of [scene.a, scene.b])
      Object.assign(client, { owner: client.principal.client });
    pipeline.tasks.add("task", place, "b");
    const params = { _meta: { "io.modelcontextprotocol/related-task": { taskId: "task" } } };
    expect(scene.ask("elicitation/create", params)).toEqual([0, 1]);
    scene.fake.answer(2);
    expect([scene.ask("elicitation/create", params), scene.refusals.length]).toEqual([[0, 1], 1]);
  });
});

describe("a log message during calls of several clients", () => {
  it("reaches those of them that have set a level", () => {
    const scene = new Scene();
    scene.b.logLevel = "info";
    scene.fake.call(scene.a);
    scene.fake.call(scene.b);
    scene.notify(LOG.method);
    scene.notify("notifications/x-other");
    expect([scene.a.logs, scene.b.logs]).toEqual([[], [LOG.method]]);
    scene.fake.answer(2);
    scene.notify(LOG.method);
    expect([scene.a.logs, scene.b.logs]).toEqual([[LOG.method], [LOG.method]]);
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

  it("reaches the others as soon as the server has answered all calls that were given up", () => {
    const scene = new Scene();
    const given = [scene.fake.call(scene.a), scene.fake.call(scene.a)];
    for (const { call } of given) cancel(call as ClientCall, "no longer needed");
    scene.fake.call(scene.b);
    scene.fake.answer(given[0]?.call.id ?? 0);
    expect(scene.ask()).toEqual([0, 0]);
    scene.fake.answer(given[1]?.call.id ?? 0);
    expect(scene.ask()).toEqual([0, 1]);
  });

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
