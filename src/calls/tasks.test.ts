import { describe, expect, it } from "vitest";

import { Line } from "../wire/lines.ts";
import { type ServerResponse, readServerLine } from "../wire/response.ts";
import { RunningTasks, type TaskSource, TaskPlaces } from "./tasks.ts";

const here = { toolbox: "dev", server: "here" };
const there = { toolbox: "dev", server: "there" };
const OWNER = "session-1";
const from = (place: typeof here): TaskSource => ({ place, tasks: new RunningTasks() });

function response(message: object): ServerResponse {
  const read = readServerLine(Line.of(JSON.stringify({ jsonrpc: "2.0", id: 1, ...message })));
  if (read.kind !== "answer") throw new Error("not an answer");
  return read.response;
}

describe("TaskPlaces", () => {
  it("remembers which server a task belongs to, in the format of either era", () => {
    const tasks = new TaskPlaces();
    tasks.learn(
      response({ result: { task: { taskId: "old", status: "working" } } }),
      from(here),
      OWNER,
    );
    tasks.learn(response({ result: { resultType: "task", taskId: "new" } }), from(there), OWNER);
    expect([tasks.placeOf("old", OWNER), tasks.placeOf("new", OWNER)]).toEqual([here, there]);
  });

  it.each([
    [{ result: { content: [] } }],
    [{ result: { structuredContent: { taskId: "x" } } }],
    [{ result: { taskId: 7 } }],
    [{ result: [{ taskId: "x" }] }],
    [{ error: { code: 1, message: "m", data: { taskId: "x" } } }],
    [{ result: { taskId: "x", padding: "p".repeat(20_000) } }],
  ])("learns no task from %j", (message) => {
    const tasks = new TaskPlaces();
    tasks.learn(response(message), from(here), OWNER);
    expect(tasks.placeOf("x", OWNER)).toBeUndefined();
  });

  it("finds no task for an id that is not a string", () => {
    const tasks = new TaskPlaces();
    for (const id of [undefined, null, 7, {}]) expect(tasks.placeOf(id, OWNER)).toBeUndefined();
  });

  it("does not let a server claim another server's task", () => {
    const tasks = new TaskPlaces();
    tasks.learn(response({ result: { taskId: "x" } }), from(here), OWNER);
    tasks.learn(response({ result: { taskId: "x" } }), from(there), OWNER);
    expect(tasks.placeOf("x", OWNER)).toBe(here);
  });

  it("shows a task to nobody but its owner", () => {
    const tasks = new TaskPlaces();
    tasks.learn(response({ result: { taskId: "x" } }), from(here), OWNER);
    tasks.learn(response({ result: { taskId: "x" } }), from(here), "session-2");
    expect(tasks.placeOf("x", "session-2")).toBeUndefined();
    expect(tasks.placeOf("x", OWNER)).toBe(here);
  });

  it("forgets the oldest task beyond its limit", () => {
    const tasks = new TaskPlaces();
    for (let i = 0; i <= 10_000; i++)
      tasks.learn(response({ result: { taskId: `t${i}` } }), from(here), OWNER);
    expect(tasks.placeOf("t0", OWNER)).toBeUndefined();
    expect([tasks.placeOf("t1", OWNER), tasks.placeOf("t10000", OWNER)]).toEqual([here, here]);
  });
});

describe("RunningTasks", () => {
  it("counts a task as running until a final status is reported", () => {
    const tasks = new RunningTasks();
    expect(tasks.any).toBe(false);
    tasks.note({ taskId: "a", status: "working", ttl: null });
    tasks.note({ taskId: "b", status: "input_required", ttl: 60_000 });
    tasks.note({ taskId: "a", status: "completed" });
    expect(tasks.any).toBe(true);
    tasks.note({ taskId: "b", status: "cancelled" });
    expect(tasks.any).toBe(false);
  });

  it("counts a task as ended when its time to live is over", () => {
    const tasks = new RunningTasks();
    tasks.note({ taskId: "a", status: "working", ttl: 0 });
    expect(tasks.any).toBe(false);
  });

  it("learns of tasks from answers, and of their end from their result", () => {
    const source = from(here);
    const places = new TaskPlaces();
    places.learn(response({ result: { task: { taskId: "a", status: "working" } } }), source, OWNER);
    expect(source.tasks.any).toBe(true);
    const related = { "io.modelcontextprotocol/related-task": { taskId: "a" } };
    places.learn(response({ result: { content: [], _meta: related } }), source, OWNER);
    expect(source.tasks.any).toBe(false);
  });

  it.each([[{}], [{ taskId: 1, status: "working" }], [{ taskId: "a" }]])(
    "ignores the task status %j",
    (said) => {
      const tasks = new RunningTasks();
      tasks.note(said);
      expect(tasks.any).toBe(false);
    },
  );
});
