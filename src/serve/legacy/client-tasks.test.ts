import { describe, expect, it } from "vitest";

import { requestIn } from "../../../test/support/fake-client.ts";
import type { ServerRef } from "../../calls/identifier.ts";
import { ServerRequest } from "../../calls/server-request.ts";
import type { IncomingResponse } from "../../wire/messages.ts";
import { ClientTasks } from "./client-tasks.ts";

const here: ServerRef = { toolbox: "dev", server: "same" };
const there: ServerRef = { toolbox: "prod", server: "same" };

function question(place: ServerRef, method: string, params: object): ServerRequest {
  const text = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
  return new ServerRequest(requestIn(text), { place, mayAsk: "always", send() {} });
}

/** The client answers a request; returns what the server gets. */
function answer(tasks: ClientTasks, asked: ServerRequest, result: object): unknown {
  const text = JSON.stringify({ jsonrpc: "2.0", id: 1, result });
  return (JSON.parse(tasks.answered(asked, JSON.parse(text) as IncomingResponse, text)) as never)[
    "result"
  ];
}

function withTask(): ClientTasks {
  const tasks = new ClientTasks();
  const asked = question(here, "elicitation/create", { message: "PIN?", task: {} });
  expect(answer(tasks, asked, { task: { taskId: "t" } })).toEqual({ task: { taskId: "t" } });
  return tasks;
}

describe("a task that a client runs for a server", () => {
  it.each(["tasks/get", "tasks/result", "tasks/cancel", "tasks/update"])(
    "is reached with %s by that server only",
    (method) => {
      const tasks = withTask();
      const refusal = { code: -32602, message: 'Task "t" not found' };
      expect(tasks.refusalOf(question(here, method, { taskId: "t" }))).toBeUndefined();
      expect(tasks.refusalOf(question(there, method, { taskId: "t" }))).toEqual(refusal);
      expect(tasks.refusalOf(question(here, method, { taskId: "u" }))).toMatchObject({
        message: 'Task "u" not found',
      });
    },
  );

  it("stays with that server if another one gets the same id", () => {
    const tasks = withTask();
    answer(tasks, question(there, "elicitation/create", { task: {} }), { task: { taskId: "t" } });
    expect(tasks.refusalOf(question(there, "tasks/result", { taskId: "t" }))).toBeDefined();
  });

  it("is listed to that server only", () => {
    const tasks = withTask();
    const result = { tasks: [{ taskId: "t" }, { taskId: "u" }, null, 1], nextCursor: "c" };
    expect(answer(tasks, question(here, "tasks/list", {}), result)).toEqual({
      tasks: [{ taskId: "t" }],
      nextCursor: "c",
    });
    expect(answer(tasks, question(there, "tasks/list", {}), result)).toMatchObject({ tasks: [] });
  });

  it("is announced to that server only", () => {
    const tasks = withTask();
    const notification = { method: "notifications/tasks/status", params: { taskId: "t" } };
    expect([here, there].map((place) => tasks.concerns(place, notification))).toEqual([
      true,
      false,
    ]);
    const others = { method: "notifications/roots/list_changed", params: {} };
    expect(tasks.concerns(there, others)).toBe(true);
  });

  it("is not taken from a response to a request that asked for none", () => {
    const tasks = new ClientTasks();
    answer(tasks, question(here, "elicitation/create", {}), { task: { taskId: "t" } });
    expect(tasks.refusalOf(question(here, "tasks/get", { taskId: "t" }))).toBeDefined();
  });
});
