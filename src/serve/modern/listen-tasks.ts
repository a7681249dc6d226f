import type { TaskPlaces } from "../../calls/tasks.ts";
import type { ServerRef } from "../../calls/identifier.ts";
import { foldCase } from "../../text/fold-case.ts";
import { parseJson } from "../../text/json.ts";
import { type IncomingNotification, isObject } from "../../wire/messages.ts";

const TASK_IDS = "taskIds";
const FOLDED_TASK_IDS = foldCase(TASK_IDS);
export const ABOUT_TASKS = "notifications/tasks";

/**
 * What a listening client may learn about tasks. Other clients share the server, and a notification
 * may contain the result of a task.
 */
export class ListenTasks {
  readonly #tasks: TaskPlaces;
  readonly #owner: string;
  readonly #place: ServerRef;

  constructor(tasks: TaskPlaces, owner: string, place: ServerRef) {
    this.#tasks = tasks;
    this.#owner = owner;
    this.#place = place;
  }

  /** A client's filter, as JSON text, without the tasks of other clients. */
  ownTasksIn(filter: string): string {
    const wanted = parseJson(filter);
    if (!isObject(wanted)) return filter;
    const isAboutTasks = (key: string): boolean => foldCase(key) === FOLDED_TASK_IDS;
    if (!Object.keys(wanted).some(isAboutTasks)) return filter;
    const others = Object.entries(wanted).filter(([key]) => !isAboutTasks(key));
    const ids = wanted[TASK_IDS];
    const own = Array.isArray(ids) ? ids.filter((id) => this.#isVisible(id)) : [];
    return JSON.stringify({ ...Object.fromEntries(others), [TASK_IDS]: own });
  }

  /** Whether the client may receive a notification. */
  allows({ method, params }: IncomingNotification): boolean {
    return !method.startsWith(ABOUT_TASKS) || this.#isVisible(params["taskId"]);
  }

  #isVisible(taskId: unknown): boolean {
    return this.#tasks.isVisibleTo(this.#owner, taskId, this.#place);
  }
}
