import { describe, expect, it } from "vitest";

import { FakeClient, fakeServer, requestIn } from "../../../test/support/fake-client.ts";
import { FakeConnection } from "../../../test/support/fake-connection.ts";
import { ClientCall } from "../../calls/call.ts";
import { dispatch } from "../../calls/dispatch.ts";
import { type JsonObject, requestText } from "../../wire/messages.ts";
import { ListenRelay } from "../modern/listen-relay.ts";
import { routeTask } from "../surface/tasks.ts";
import { LISTENING_CLIENT, TransparentSurface } from "../surface/transparent-surface.ts";

const APPS = { extensions: { "io.modelcontextprotocol/ui": { mimeTypes: [] } } };
const TEXT = { type: "text", text: "A map" };

const withPage = (uri: string): JsonObject => ({
  content: [TEXT, { type: "resource_link", uri, name: "map" }],
  _meta: { n: 1, ui: { resourceUri: uri } },
});
const WITHOUT_PAGE = { content: [TEXT], _meta: { n: 1 } };
const taskWith = (result: JsonObject): JsonObject => ({ taskId: "t", status: "completed", result });

/** What a client gets for the result of a task of a server; of the only one it sees, or of several. */
async function answerTo(
  method: string,
  answer: JsonObject,
  capabilities: JsonObject,
  isTransparent: boolean,
): Promise<unknown> {
  const fake = new FakeConnection();
  fake.channel.onSend = ({ id }) => fake.answer(id, answer);
  const one = fakeServer(fake);
  const client = new FakeClient([one], "modern");
  Object.assign(client, { profile: { client: { capabilities } } });
  client.pipeline.tasks.add("t", one.server.place, client.owner);
  const call = new ClientCall(client, requestIn(requestText(1, method, { taskId: "t" })));
  const surface = new TransparentSurface(one, LISTENING_CLIENT);
  dispatch(call, () =>
    isTransparent ? surface.route(client, call) : routeTask(client, call.request),
  );
  await Promise.all(client.pipeline.unfinished);
  return client.answers[0]?.["result"];
}

describe.each([
  ["tasks/result", (result: JsonObject) => result],
  ["tasks/get", taskWith],
])("the result of a task with a page, in %s", (method, written) => {
  const given = written(withPage("ui://map"));

  it("has the URIs that the client can read", async () => {
    expect(await answerTo(method, given, APPS, false)).toEqual(
      written(withPage("ui://dev.fx/map")),
    );
    expect(await answerTo(method, given, APPS, true)).toEqual(given);
  });

  it.each([false, true])("has no pages for other clients, transparent: %j", async (isOnly) => {
    expect(await answerTo(method, given, {}, isOnly)).toEqual(written(WITHOUT_PAGE));
  });
});

it("a task that has not ended, or failed, stays as it is", async () => {
  for (const result of [undefined, null, [{ _meta: { ui: 1 } }]]) {
    const task = {
      taskId: "t",
      status: "working",
      _meta: { ui: "kept" },
      ...(result && { result }),
    };
    expect(await answerTo("tasks/get", task, {}, false)).toEqual(task);
  }
});

/** What a client that listens to its only server gets for a notification about a task. */
async function notifiedOf(task: JsonObject, capabilities: JsonObject): Promise<unknown> {
  const fake = new FakeConnection();
  fake.channel.onSend = () => {};
  const one = fakeServer(fake);
  const client = new FakeClient([one], "modern");
  Object.assign(client, { profile: { client: { capabilities } } });
  client.pipeline.tasks.add("t", one.server.place, client.owner);
  const params = { notifications: { taskIds: ["t"] }, _meta: {} };
  const request = requestIn(requestText(1, "subscriptions/listen", params));
  const view = { scope: client.scope, server: one.server };
  return new Promise((resolve) => {
    const target = { notify: (_: string, shown: JsonObject) => resolve(shown), end() {} };
    const relay = new ListenRelay(view, fake.connection, request, target, client);
    relay.onCallNotification({} as never, { method: "notifications/tasks", params: task });
  });
}

describe("the result of a task with a page, in a notification", () => {
  const given = taskWith(withPage("ui://map"));

  it("stays as it is for a client that shows pages", async () => {
    expect(await notifiedOf(given, APPS)).toEqual(given);
  });

  it("has no pages for other clients", async () => {
    expect(await notifiedOf(given, {})).toEqual(taskWith(WITHOUT_PAGE));
    const working = { taskId: "t", status: "working", _meta: { ui: "kept" } };
    expect(await notifiedOf(working, {})).toEqual(working);
  });
});
