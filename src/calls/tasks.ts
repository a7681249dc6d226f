import { type JsonObject, isObject } from "../wire/messages.ts";
import type { ServerResponse } from "../wire/response.ts";
import type { ServerRef } from "./identifier.ts";

const MOST_TASKS = 10_000;
/** A task is announced by a small answer; a large one is a result. */
const ANNOUNCEMENT_BYTES = 16 * 1024;
const MARK = '"taskId"';

const RUNNING: ReadonlySet<unknown> = new Set(["working", "input_required"]);
/** How long a server stays for a task that has no end of its own and is never asked for again. */
const LONGEST_TASK_MS = 24 * 60 * 60 * 1000;
const RELATED_TASK = "io.modelcontextprotocol/related-task";

/** The tasks that a server works on, as far as it has told; it has to stay for them. */
export class RunningTasks {
  readonly #until = new Map<string, number>();

  get any(): boolean {
    const now = performance.now();
    for (const [id, until] of this.#until) if (until <= now) this.#until.delete(id);
    return this.#until.size > 0;
  }

  /** Takes notice of what a server says about a task. */
  note({ taskId, status, ttl }: JsonObject): void {
    if (!isTaskId(taskId) || typeof status !== "string") return;
    if (!RUNNING.has(status)) this.#until.delete(taskId);
    else if (this.#until.size < MOST_TASKS)
      this.#until.set(
        taskId,
        performance.now() + (typeof ttl === "number" ? ttl : LONGEST_TASK_MS),
      );
  }
}

/** Thousands of them are kept, so a task with a longer id is not followed. */
const MAX_ID_CHARS = 1024;

function isTaskId(id: unknown): id is string {
  return typeof id === "string" && id.length <= MAX_ID_CHARS;
}

/** Where an answer came from. */
export interface TaskSource {
  readonly place: ServerRef;
  readonly tasks: RunningTasks;
}

/** The owner of all tasks where the workbench serves a single client, as over stdio. */
export const SOLE_OWNER = "sole";
/** The owner of the tasks of modern clients over HTTP, which have no sessions to tell them apart. */
export const MODERN_OWNER = "modern";

interface KnownTask {
  readonly place: ServerRef;
  /** Only the client that started a task may see it. */
  readonly owner: string;
}

/** Which server runs a task: tasks outlive the call that started them and are asked for by id. */
export class TaskPlaces {
  readonly #tasks = new Map<string, KnownTask>();

  /** Where a task of this owner runs; undefined for tasks of others as for those that do not exist. */
  placeOf(taskId: unknown, owner: string): ServerRef | undefined {
    const task = typeof taskId === "string" ? this.#tasks.get(taskId) : undefined;
    return task?.owner === owner ? task.place : undefined;
  }

  /** True for a task that another client started. */
  isOfAnother(taskId: unknown, owner: string): boolean {
    const task = typeof taskId === "string" ? this.#tasks.get(taskId) : undefined;
    return task !== undefined && task.owner !== owner;
  }

  /** Remembers the task that an answer announces, in the form of either era. */
  learn(response: ServerResponse, { place, tasks }: TaskSource, owner: string): void {
    if (response.isError || response.bytes > ANNOUNCEMENT_BYTES || !response.mentions(MARK)) return;
    const { result } = response.parse();
    if (!isObject(result)) return;
    const task = isObject(result["task"]) ? result["task"] : result;
    this.add(task["taskId"], place, owner);
    tasks.note(task);
    const related = isObject(result["_meta"]) ? result["_meta"][RELATED_TASK] : undefined;
    // The result of a task comes when it has ended.
    if (isObject(related)) tasks.note({ ...related, status: "completed" });
  }

  /**
   * Remembers a task; it stays with the server that announced it first and with its owner: no other
   * may claim it.
   */
  add(id: unknown, place: ServerRef, owner: string): void {
    if (!isTaskId(id) || this.#tasks.has(id)) return;
    const [oldest] = this.#tasks.keys();
    if (this.#tasks.size >= MOST_TASKS && oldest !== undefined) this.#tasks.delete(oldest);
    this.#tasks.set(id, { place, owner });
  }
}
