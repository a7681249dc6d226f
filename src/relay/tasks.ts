import { isObject } from "../wire/messages.ts";
import type { ServerResponse } from "../wire/response.ts";

const MOST_TASKS = 10_000;
/** A task is announced by a small answer; a large one is a result. */
const ANNOUNCEMENT_BYTES = 16 * 1024;
const MARK = '"taskId"';

export interface Place {
  readonly toolbox: string;
  readonly server: string;
}

/** Which server runs a task: tasks outlive the call that started them and are asked for by id. */
export class TaskPlaces {
  readonly #places = new Map<string, Place>();

  placeOf(taskId: unknown): Place | undefined {
    return typeof taskId === "string" ? this.#places.get(taskId) : undefined;
  }

  /** Remembers the task that an answer announces, in the form of either era. */
  learn(response: ServerResponse, place: Place): void {
    if (response.isError || response.bytes > ANNOUNCEMENT_BYTES || !response.mentions(MARK)) return;
    const { result } = response.parse();
    if (!isObject(result)) return;
    this.add(isObject(result["task"]) ? result["task"]["taskId"] : result["taskId"], place);
  }

  /** Remembers a task; it stays with the server that announced it first: no other may claim it. */
  add(id: unknown, place: Place): void {
    if (typeof id !== "string" || this.#places.has(id)) return;
    const [oldest] = this.#places.keys();
    if (this.#places.size >= MOST_TASKS && oldest !== undefined) this.#places.delete(oldest);
    this.#places.set(id, place);
  }
}
