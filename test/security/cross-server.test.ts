/** What a client does for one server, or a server does for a client, is out of reach for other servers. */
import { describe, expect, it } from "vitest";
import { textOf, useTool, useToolParams } from "../support/calls.ts";
import { perTest } from "../support/disposables.ts";
import { startHttpWorkbench } from "../support/http-workbench.ts";
import { scriptServer } from "../support/script-server.ts";
import { type ServerEntry, dev } from "../support/servers.ts";
import { startWorkbench } from "../support/workbench.ts";

const cleanup = perTest();

/** A server that sends the message in a call's arguments; the call is answered with the response to it. */
function sending(): ServerEntry {
  return scriptServer(
    cleanup,
    `let callId;
     const done = (said) => send({ id: callId, result: { content: [{ type: "text", text: JSON.stringify(said) }] } });
     onResponse(({ result, error }) => done(result ?? error));
     serve({ ...legacy({ tools: {} }), "tools/call": ({ arguments: { message } }, id) => {
       callId = id;
       send(message);
       if (message.id === undefined) done("sent");
     } });`,
  );
}

describe("what a client does for one server", () => {
  it("is not shown to another server by the id of its task", async () => {
    const tasks = { list: {}, cancel: {}, requests: { elicitation: { create: {} } } };
    const { client } = await startWorkbench(cleanup, dev({ bank: sending(), evil: sending() }), {
      capabilities: { elicitation: {}, tasks },
      responders: {
        "elicitation/create": () => ({ task: { taskId: "task-1", status: "working" } }),
        "tasks/result": () => ({ action: "accept", content: { pin: "1234" } }),
        "tasks/list": () => ({ tasks: [{ taskId: "task-1", status: "working" }] }),
      },
    });
    const from = async (server: string, method: string, params: object): Promise<string> => {
      const message = { id: "m", method, params };
      return textOf(await useTool(client, `dev/${server}/hello`, { message }));
    };
    const asked = { message: "Your PIN", requestedSchema: {}, task: { ttl: 60_000 } };
    expect(await from("bank", "elicitation/create", asked)).toContain("task-1");
    expect(await from("evil", "tasks/result", { taskId: "task-1" })).toBe(
      '{"code":-32602,"message":"Task \\"task-1\\" not found"}',
    );
    expect(await from("evil", "tasks/list", {})).toBe('{"tasks":[]}');
    expect(await from("bank", "tasks/list", {})).toContain("task-1");
    expect(await from("bank", "tasks/result", { taskId: "task-1" })).toContain("1234");
  });

  it("is not declared complete by another server, nor to another client", async () => {
    const workbench = await startHttpWorkbench(cleanup, dev({ bank: sending(), evil: sending() }));
    const capabilities = { elicitation: { url: {} } };
    const [client, other] = [workbench.client(), workbench.client()];
    for (const one of [client, other]) await one.initialize(undefined, capabilities);
    const [stream, othersStream] = [client.listen(), other.listen()];
    await Promise.all([stream.head(), othersStream.head()]);
    for (const one of [client, other])
      await one.ask(
        "tools/call",
        useToolParams("dev/bank/hello", { message: { method: "notifications/x" } }),
      );
    const url = { mode: "url", message: "Log in", url: "https://a.example", elicitationId: "e1" };
    const message = { id: "m", method: "elicitation/create", params: url };
    const call = client.request("tools/call", useToolParams("dev/bank/hello", { message }));
    const { id } = await call.method("elicitation/create");
    await client.respond(id, { action: "accept" });
    await call.done();
    const complete = (mark: string) => ({
      message: {
        method: "notifications/elicitation/complete",
        params: { elicitationId: "e1", mark },
      },
    });
    await client.ask("tools/call", useToolParams("dev/evil/hello", complete("forged")));
    await client.ask("tools/call", useToolParams("dev/bank/hello", complete("true")));
    await stream.method("notifications/elicitation/complete");
    // Anything sent to the other client was sent before this.
    await other.ask("ping");
    expect(stream.text).toContain('"mark":"true"');
    expect(stream.text).not.toContain("forged");
    expect(othersStream.text).not.toContain("elicitation/complete");
    stream.hangUp();
    othersStream.hangUp();
  });
});

describe("a notification of a server", () => {
  const forged = `[
    { method: "notifications/progress", params: { progressToken: "another", progress: 1 } },
    { method: "notifications/cancelled", params: { requestId: "workbench-1" } },
    { method: "notifications/resources/updated", params: { uri: "file:///another" } },
    { method: "notifications/Progress", params: { progressToken: "another", progress: 1 } },
  ]`;
  const by = (subscription: string): string =>
    `${forged}.map(({ method, params }) => ({ method, params: { ...params,
       _meta: { "io.modelcontextprotocol/subscriptionId": ${subscription} } } })).forEach(send);`;

  it("cannot be about another server's call by naming a subscription", async () => {
    const legacy = scriptServer(
      cleanup,
      `serve({ ...legacy({ tools: {} }), "tools/call": (params, id) => {
         ${forged}.forEach(send);
         ${by("id")}
         return { content: [] };
       } });`,
    );
    const modern = scriptServer(
      cleanup,
      `let listening;
       serve({ ...modern({ tools: { listChanged: true } }),
         "subscriptions/listen": (params, id) => void (listening = id),
         "tools/call": (params, id) => {
           ${by("id")}
           ${by("listening")}
           return { resultType: "complete", content: [] };
         } });`,
    );
    const { client } = await startWorkbench(cleanup, dev({ legacy, modern }));
    for (const server of ["legacy", "modern"]) await useTool(client, `dev/${server}/hello`, {});
    expect(client.notifications.filter(({ method }) => !method.endsWith("list_changed"))).toEqual(
      [],
    );
  });
});

describe("a task of one server", () => {
  const task = `({ taskId: "task-1", status: "working", ttl: 60000 })`;
  const tasked = (name: string): ServerEntry =>
    scriptServer(
      cleanup,
      `serve({ ...legacy({ tools: {}, tasks: { list: {}, requests: { tools: { call: {} } } } }),
         "tools/call": (params) => {
           if (params.task !== undefined) return { task: ${task} };
           send({ method: "notifications/tasks/status", params: { ...${task}, mark: "by ${name}" } });
           return { content: [] };
         },
         "tasks/result": () => ({ content: [{ type: "text", text: "result of ${name}" }] }) });`,
    );
  const started = { extra: { task: { ttl: 60_000 } } };

  it("cannot be answered by another server with the same id", async () => {
    const config = dev({ bank: tasked("bank"), evil: tasked("evil") });
    const { client } = await startWorkbench(cleanup, config);
    await useTool(client, "dev/evil/hello", {}, started);
    const alone = await client.request("tasks/result", { taskId: "task-1" });
    expect(alone.line).toContain("result of evil");
    await useTool(client, "dev/bank/hello", {}, started);
    const refused = await client.request("tasks/result", { taskId: "task-1" });
    expect(refused.error?.message).toBe(
      'Task "task-1" exists on several servers (dev/evil, dev/bank)',
    );
  });

  it("changes its status only when that server reports it", async () => {
    const config = dev({ bank: tasked("bank"), evil: tasked("evil") });
    const { client } = await startWorkbench(cleanup, config);
    await useTool(client, "dev/bank/hello", {}, started);
    for (const server of ["evil", "bank"]) await useTool(client, `dev/${server}/hello`, {});
    const marks = client.notifications
      .filter(({ method }) => method === "notifications/tasks/status")
      .map(({ params }) => params?.["mark"]);
    expect(marks).toEqual(["by bank"]);
  });
});
