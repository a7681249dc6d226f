// Tasks of the modern era (extension io.modelcontextprotocol/tasks): work that continues after the
// call that started it was answered.
import { randomUUID } from "node:crypto";
import { QUESTIONS } from "./definitions.mjs";
import { RpcError } from "./features.mjs";

export const TASKS_EXTENSION = "io.modelcontextprotocol/tasks";

export class Tasks {
  #tasks = new Map();

  start() {
    const now = new Date().toISOString();
    const task = {
      taskId: randomUUID(),
      status: "input_required",
      createdAt: now,
      lastUpdatedAt: now,
      ttlMs: 60_000,
      pollIntervalMs: 10,
    };
    this.#tasks.set(task.taskId, task);
    return { resultType: "task", ...task };
  }

  #find({ taskId }) {
    const task = this.#tasks.get(taskId);
    if (task === undefined) throw new RpcError(-32602, `Unknown task: ${taskId}`);
    return task;
  }

  get(params) {
    const task = this.#find(params);
    return task.status === "input_required"
      ? { ...task, inputRequests: { who: QUESTIONS.form } }
      : { ...task };
  }

  update(params) {
    const task = this.#find(params);
    const { name } = params.inputResponses.who.content;
    task.status = "completed";
    task.result = { content: [{ type: "text", text: `done for ${name}` }] };
    return {};
  }

  cancel(params) {
    this.#find(params).status = "cancelled";
    return {};
  }
}
