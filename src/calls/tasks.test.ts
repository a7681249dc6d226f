import { describe, expect, it } from "vitest";

import { Line } from "../wire/lines.ts";
import { type ServerResponse, readServerLine } from "../wire/response.ts";
import { RunningTasks, SOLE_OWNER, type TaskSource, TaskPlaces } from "./tasks.ts";

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
    tasks.record(
      response({ result: { task: { taskId: "old", status: "working" } } }),
      from(here),
      OWNER,
    );
    tasks.record(response({ result: { resultType: "task", taskId: "new" } }), from(there), OWNER);
    expect([...tasks.placesOf("old", OWNER), ...tasks.placesOf("new", OWNER)]).toEqual([
      here,
      there,
    ]);
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
    tasks.record(response(message), from(here), OWNER);
    expect(tasks.placesOf("x", OWNER)).toEqual([]);
  });

  it("finds no task for an id that is not a string", () => {
    const tasks = new TaskPlaces();
    for (const id of [undefined, null, 7, {}]) expect(tasks.placesOf(id, OWNER)).toEqual([]);
  });

  it("keeps tasks of two servers apart that have the same id", () => {
    const tasks = new TaskPlaces();
    tasks.record(response({ result: { taskId: "x" } }), from(here), OWNER);
    tasks.record(response({ result: { taskId: "x" } }), from(there), OWNER);
    expect(tasks.placesOf("x", OWNER)).toEqual([here, there]);
    expect(tasks.owns(OWNER, "x", here)).toBe(true);
  });

  it("shows a task only to its owner", () => {
    const tasks = new TaskPlaces();
    tasks.record(response({ result: { taskId: "x" } }), from(here), OWNER);
    tasks.record(response({ result: { taskId: "x" } }), from(here), "session-2");
    expect(tasks.placesOf("x", "session-2")).toEqual([]);
    expect(tasks.placesOf("x", OWNER)).toEqual([here]);
    expect(tasks.isOfAnother("session-2", "x", here)).toBe(true);
    expect(tasks.isOfAnother("session-2", "x", there)).toBe(false);
  });

  it("lets two clients have tasks with the same id on different servers", () => {
    const tasks = new TaskPlaces();
    tasks.add("x", here, OWNER);
    tasks.add("x", there, "session-2");
    expect(tasks.placesOf("x", OWNER)).toEqual([here]);
    expect(tasks.placesOf("x", "session-2")).toEqual([there]);
  });

  it("sends a client notifications only about its own tasks, from the server that runs them", () => {
    const tasks = new TaskPlaces();
    for (const owner of [OWNER, SOLE_OWNER]) tasks.add(`of ${owner}`, here, owner);
    const isNotified = (owner: string, id: string): boolean[] =>
      [here, there].map((place) => tasks.isVisibleTo(owner, id, place));
    expect(isNotified(OWNER, `of ${OWNER}`)).toEqual([true, false]);
    expect(isNotified(OWNER, "unknown")).toEqual([false, false]);
    expect(isNotified(SOLE_OWNER, `of ${SOLE_OWNER}`)).toEqual([true, false]);
    expect(isNotified(SOLE_OWNER, "unknown")).toEqual([true, true]);
  });

  it("forgets the oldest task beyond its limit", () => {
    const tasks = new TaskPlaces();
    for (let i = 0; i <= 10_000; i++)
      tasks.record(response({ result: { taskId: `t${i}` } }), from(here), OWNER);
    expect(tasks.placesOf("t0", OWNER)).toEqual([]);
    expect(tasks.placesOf("t1", OWNER)).toEqual([here]);
    expect(tasks.placesOf("t10000", OWNER)).toEqual([here]);
  });

  it("does not forget a client's tasks because another one starts many", () => {
    const tasks = new TaskPlaces();
    tasks.add("mine", here, OWNER);
    for (let i = 0; i <= 10_000; i++) tasks.add(`t${i}`, here, "session-2");
    expect(tasks.placesOf("mine", OWNER)).toEqual([here]);
    expect(tasks.placesOf("t0", "session-2")).toEqual([]);
  });
});

describe("RunningTasks", () => {
  it("counts a task as running until a final status is reported", () => {
    const tasks = new RunningTasks();
    expect(tasks.any).toBe(false);
    tasks.update({ taskId: "a", status: "working", ttl: null });
    tasks.update({ taskId: "b", status: "input_required", ttl: 60_000 });
    tasks.update({ taskId: "a", status: "completed" });
    expect(tasks.any).toBe(true);
    tasks.update({ taskId: "b", status: "cancelled" });
    expect(tasks.any).toBe(false);
  });

  it("counts a task as ended when its time to live is over", () => {
    const tasks = new RunningTasks();
    tasks.update({ taskId: "a", status: "working", ttl: 0 });
    expect(tasks.any).toBe(false);
  });

  it("learns of tasks from answers, and of their end from their result", () => {
    const source = from(here);
    const places = new TaskPlaces();
    places.record(
      response({ result: { task: { taskId: "a", status: "working" } } }),
      source,
      OWNER,
    );
    expect(source.tasks.any).toBe(true);
    const related = { "io.modelcontextprotocol/related-task": { taskId: "a" } };
    places.record(response({ result: { content: [], _meta: related } }), source, OWNER);
    expect(source.tasks.any).toBe(false);
  });

  it.each([[{}], [{ taskId: 1, status: "working" }], [{ taskId: "a" }]])(
    "ignores the task status %j",
    (params) => {
      const tasks = new RunningTasks();
      tasks.update(params);
      expect(tasks.any).toBe(false);
    },
  );
});
