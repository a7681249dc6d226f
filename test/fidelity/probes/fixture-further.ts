import { randomUUID } from "node:crypto";
import { expect } from "vitest";
import { FORM_ANSWER, type Json, type Incoming } from "../../support/clients/matrix-client.ts";
import { EraClient } from "../../support/clients/era-client.ts";
import { CACHE_HINTS, INSTRUCTIONS, QUESTIONS } from "../servers/definitions.mjs";
import { type Subject, jsonOf } from "../subject.ts";
import type { Probes } from "./probe.ts";
import { until } from "./until.ts";
import { expectComplete } from "./expect-complete.ts";

const TASKS = "io.modelcontextprotocol/tasks";
const SUBSCRIPTION = "io.modelcontextprotocol/subscriptionId";
const ANNOUNCED = "notifications/fixture/announced";
const HEARD = "notifications/fixture/heard";

/** Starts a task, which requires a client that declares support for tasks. */
async function startTask(subject: Subject): Promise<Json> {
  const client = subject.client as EraClient;
  client.extensions = { [TASKS]: {} };
  const task = await subject.tool("task");
  expect(task).toMatchObject({ resultType: "task", status: "input_required" });
  return task;
}

function rawClient({ client }: Subject): EraClient {
  if (client instanceof EraClient) return client;
  throw new Error("only for clients without an SDK");
}

export const taskProbes: Probes = {
  modernTask: async (subject) => {
    const { taskId } = await startTask(subject);
    const { client } = subject;
    const { method, params } = QUESTIONS.form;
    expect(await client.request("tasks/get", { taskId })).toMatchObject({
      status: "input_required",
      inputRequests: { who: { method, params: subject.withOrigin(method, params) } },
    });
    await client.request("tasks/update", { taskId, inputResponses: { who: FORM_ANSWER } });
    expect(await client.request("tasks/get", { taskId })).toMatchObject({
      status: "completed",
      result: { content: [{ type: "text", text: "done for Ada" }] },
    });
  },
  modernTaskCancel: async (subject) => {
    const { taskId } = await startTask(subject);
    const { client } = subject;
    await client.request("tasks/cancel", { taskId });
    expect(await client.request("tasks/get", { taskId })).toMatchObject({ status: "cancelled" });
    await expect(client.request("tasks/get", { taskId: "no-such-task" })).rejects.toMatchObject({
      code: -32602,
    });
  },
};

export const customProbes: Probes = {
  customMethod: async (subject) => {
    const params = { list: [1.5, null, "x"], deep: { a: true } };
    const result = await subject.client.request("fixture/custom", params);
    expect(result["echoed"]).toEqual(params);
    await expect(subject.client.request("fixture/unknown", {})).rejects.toMatchObject({
      code: -32601,
    });
  },
  customFromServer: async (subject) => {
    const { inbox } = subject.client;
    const mark = inbox.notifications.length;
    await subject.tool("announce");
    expect(await inbox.next(ANNOUNCED, mark)).toEqual({ n: 1, deep: { x: [null] } });
  },
  customFromClient: async (subject) => {
    const params = { x: [1.5, null], nonce: randomUUID() };
    await subject.client.notify(HEARD, params);
    const arrived = await until(async () => {
      const { heard } = jsonOf(await subject.tool("told"));
      return (heard as Incoming[]).find((item) => item.params["nonce"] === params.nonce)?.params;
    }, "the server to receive it");
    expect(arrived).toMatchObject(params);
  },
};

export const modernProbes: Probes = {
  discover: async (subject) => {
    const result = await subject.client.request("server/discover");
    expect(result["supportedVersions"]).toContain("2026-07-28");
    expect(result["capabilities"]).toEqual(subject.client.hello.capabilities);
    if (subject.plain) expect(result["instructions"]).toBe(INSTRUCTIONS);
    else expect(result["instructions"]).toContain("box");
  },
  resultType: (subject) =>
    expectComplete(subject, {
      tool: ["echo", { text: "x" }],
      prompt: "plain",
      resource: "fixture://text",
      completes: ["greet", "language"],
    }),
  cacheHints: async (subject) => {
    const { client } = subject;
    const read = await subject.read("fixture://text");
    expect(read).toMatchObject(CACHE_HINTS);
    for (const method of [
      "server/discover",
      "tools/list",
      "prompts/list",
      "resources/list",
      "resources/templates/list",
    ]) {
      const { ttlMs, cacheScope } = await client.request(method);
      // It is unknown how long the lists of several servers stay valid.
      expect({ ttlMs, cacheScope }, method).toEqual(
        subject.plain ? CACHE_HINTS : { ttlMs: 0, cacheScope: "private" },
      );
    }
  },
  listen: async (subject) => {
    const { inbox } = subject.client;
    const mark = inbox.notifications.length;
    const uri = subject.uri("fixture://watched");
    const stop = await subject.client.watch({
      promptsListChanged: true,
      resourceSubscriptions: [uri],
    });
    await subject.tool("touch", { uri: "fixture://watched" });
    await subject.tool("change", { kind: "resources", on: true });
    await subject.tool("change", { kind: "prompts", on: true });
    await inbox.next("notifications/prompts/list_changed", mark);
    await stop();
    await subject.tool("change", { kind: "prompts", on: false });
    await subject.tool("change", { kind: "resources", on: false });
    const received = inbox.notifications.slice(mark);
    expect(received.map(({ method }) => method)).toEqual([
      "notifications/subscriptions/acknowledged",
      "notifications/resources/updated",
      "notifications/prompts/list_changed",
    ]);
    const ids = received.map(({ params }) => (params["_meta"] as Json)[SUBSCRIPTION]);
    expect(new Set(ids).size).toBe(1);
    expect(ids[0]).toMatch(/^r-\d+$/);
  },
  listenHonoured: async (subject) => {
    const { inbox } = subject.client;
    const mark = inbox.notifications.length;
    const wanted = {
      toolsListChanged: true,
      resourceSubscriptions: [subject.uri("fixture://text")],
    } as const;
    const stop = await subject.client.watch(wanted);
    const { notifications } = await inbox.next("notifications/subscriptions/acknowledged", mark);
    expect(notifications).toEqual(wanted);
    await stop();
  },
  unknownVersion: async (subject) => {
    const client = rawClient(subject);
    const version = "2099-01-01";
    const meta = { ...client.envelope, "io.modelcontextprotocol/protocolVersion": version };
    const params = JSON.stringify({ _meta: meta });
    const text = await client.requestText("tools/list", params);
    const { error } = JSON.parse(text) as { error: { code: number; data: Json } };
    expect(error.code).toBe(-32022);
    expect(error.data["requested"]).toBe(version);
    expect(error.data["supported"]).toContain("2026-07-28");
  },
  removedMethods: async (subject) => {
    const { client } = subject;
    for (const method of ["ping", "logging/setLevel", "resources/subscribe", "initialize"])
      await expect(client.request(method, {}), method).rejects.toMatchObject({ code: -32601 });
  },
};
