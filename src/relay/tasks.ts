import { type JsonObject, isObject } from "../wire/messages.ts";
import type { ServerResponse } from "../wire/response.ts";
import type { Place } from "./call.ts";

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
  readonly place: Place;
  readonly tasks: RunningTasks;
}

/** Which server runs a task: tasks outlive the call that started them and are asked for by id. */
export class TaskPlaces {
  readonly #places = new Map<string, Place>();

  placeOf(taskId: unknown): Place | undefined {
    return typeof taskId === "string" ? this.#places.get(taskId) : undefined;
  }

  /** Remembers the task that an answer announces, in the form of either era. */
  learn(response: ServerResponse, { place, tasks }: TaskSource): void {
    if (response.isError || response.bytes > ANNOUNCEMENT_BYTES || !response.mentions(MARK)) return;
    const { result } = response.parse();
    if (!isObject(result)) return;
    const task = isObject(result["task"]) ? result["task"] : result;
    this.add(task["taskId"], place);
    tasks.note(task);
    const related = isObject(result["_meta"]) ? result["_meta"][RELATED_TASK] : undefined;
    // The result of a task comes when it has ended.
    if (isObject(related)) tasks.note({ ...related, status: "completed" });
  }

  /** Remembers a task; it stays with the server that announced it first: no other may claim it. */
  add(id: unknown, place: Place): void {
    if (!isTaskId(id) || this.#places.has(id)) return;
    const [oldest] = this.#places.keys();
    if (this.#places.size >= MOST_TASKS && oldest !== undefined) this.#places.delete(oldest);
    this.#places.set(id, place);
  }
}
