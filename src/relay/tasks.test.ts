import { describe, expect, it } from "vitest";

import { Line } from "../wire/lines.ts";
import { type ServerResponse, readServerLine } from "../wire/response.ts";
import { TaskPlaces } from "./tasks.ts";

const here = { toolbox: "dev", server: "here" };
const there = { toolbox: "dev", server: "there" };

function response(message: object): ServerResponse {
  const read = readServerLine(Line.of(JSON.stringify({ jsonrpc: "2.0", id: 1, ...message })));
  if (read.kind !== "answer") throw new Error("not an answer");
  return read.response;
}

describe("TaskPlaces", () => {
  it("learns a task in the form of either era", () => {
    const tasks = new TaskPlaces();
    tasks.learn(response({ result: { task: { taskId: "old", status: "working" } } }), here);
    tasks.learn(response({ result: { resultType: "task", taskId: "new" } }), there);
    expect([tasks.placeOf("old"), tasks.placeOf("new")]).toEqual([here, there]);
  });

  it.each([
    [{ result: { content: [] } }],
    [{ result: { structuredContent: { taskId: "x" } } }],
    [{ result: { taskId: 7 } }],
    [{ result: [{ taskId: "x" }] }],
    [{ error: { code: 1, message: "m", data: { taskId: "x" } } }],
    [{ result: { taskId: "x", padding: "p".repeat(20_000) } }],
  ])("learns nothing from %j", (message) => {
    const tasks = new TaskPlaces();
    tasks.learn(response(message), here);
    expect(tasks.placeOf("x")).toBeUndefined();
  });

  it("knows no task by what is no name", () => {
    const tasks = new TaskPlaces();
    for (const id of [undefined, null, 7, {}]) expect(tasks.placeOf(id)).toBeUndefined();
  });

  it("lets no server claim the task of another", () => {
    const tasks = new TaskPlaces();
    tasks.learn(response({ result: { taskId: "x" } }), here);
    tasks.learn(response({ result: { taskId: "x" } }), there);
    expect(tasks.placeOf("x")).toBe(here);
  });

  it("forgets the oldest of very many", () => {
    const tasks = new TaskPlaces();
    for (let i = 0; i <= 10_000; i++) tasks.learn(response({ result: { taskId: `t${i}` } }), here);
    expect(tasks.placeOf("t0")).toBeUndefined();
    expect([tasks.placeOf("t1"), tasks.placeOf("t10000")]).toEqual([here, here]);
  });
});
