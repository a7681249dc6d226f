import { type JsonObject, isObject } from "../wire/messages.ts";
import type { ServerResponse } from "../wire/response.ts";
import type { ServerRef } from "./identifier.ts";
import { REPLICA_ID } from "./principal.ts";

const MAX_TASKS = 10_000;

const RUNNING: ReadonlySet<unknown> = new Set(["working", "input_required"]);
/** How long a server is kept running for a task that has no expiry and is never polled again. */
const MAX_TASK_MS = 24 * 60 * 60 * 1000;
const RELATED_TASK = "io.modelcontextprotocol/related-task";

/** The tasks a server is known to be working on. The server must keep running for them. */
export class RunningTasks {
  readonly #until = new Map<string, number>();

  get any(): boolean {
    const now = performance.now();
    for (const [id, until] of this.#until) if (until <= now) this.#until.delete(id);
    return this.#until.size > 0;
  }

  /** Records what a server reports about a task. */
  update({ taskId, status, ttl }: JsonObject): void {
    if (!isTaskId(taskId) || typeof status !== "string") return;
    if (!RUNNING.has(status)) this.#until.delete(taskId);
    else if (this.#until.size < MAX_TASKS)
      this.#until.set(taskId, performance.now() + (typeof ttl === "number" ? ttl : MAX_TASK_MS));
  }
}

/** Thousands of ids are kept, so tasks with longer ids are not tracked. */
const MAX_ID_CHARS = 1024;

function isTaskId(id: unknown): id is string {
  return typeof id === "string" && id.length <= MAX_ID_CHARS;
}

/** The id of the task that a message says it belongs to. */
export function relatedTaskOf({ _meta: meta }: JsonObject): unknown {
  const related = isObject(meta) ? meta[RELATED_TASK] : undefined;
  return isObject(related) ? related["taskId"] : undefined;
}

/** The origin of an answer. */
export interface TaskSource {
  readonly place: ServerRef;
  readonly tasks: RunningTasks;
}

/** The owner of all tasks where the workbench serves a single client, as over stdio. */
export const SOLE_OWNER = "sole";
const MAX_NAME_CHARS = 512;

/**
 * The owner of the tasks of a modern client over HTTP. Without a session, only its name and version
 * distinguish it from other clients of the same principal.
 */
export function modernOwner(principalId: string, { name, version }: JsonObject): string {
  return `modern ${principalId} ${JSON.stringify([name, version]).slice(0, MAX_NAME_CHARS)}`;
}

const OWNED_BY_REPLICA = `modern ${REPLICA_ID}`;

/**
 * Which server runs a task: a task outlives the call that started it and is requested by id. The
 * ids are the servers' own, so two servers may use the same one.
 */
export class TaskPlaces {
  /**
   * The servers that run each client's tasks, by task id, oldest first. No other client may see
   * them.
   */
  readonly #byOwner = new Map<string, Map<string, ServerRef[]>>();
  /** The owner of each task, by server and id. */
  readonly #owners = new Map<string, string>();

  /** The server that runs this task of this owner. Tasks of other owners do not exist for it. */
  placesOf(taskId: unknown, owner: string): readonly ServerRef[] {
    const places = typeof taskId === "string" ? this.#byOwner.get(owner)?.get(taskId) : undefined;
    return places ?? [];
  }

  /** Whether this owner has started a task. */
  hasAny(owner: string): boolean {
    return this.#byOwner.has(owner);
  }

  /** Whether a client has started a task with this id. Those of other replicas are known there. */
  isKnown(taskId: string): boolean {
    for (const [owner, own] of this.#byOwner)
      if (own.has(taskId) && !owner.startsWith(OWNED_BY_REPLICA)) return true;
    return false;
  }

  /** Whether this owner started the task on this server. */
  owns(owner: string, taskId: unknown, place: ServerRef): boolean {
    return this.#ownerOf(taskId, place) === owner;
  }

  /** Whether another owner started the task on this server. */
  isOfAnother(owner: string, taskId: unknown, place: ServerRef): boolean {
    const known = this.#ownerOf(taskId, place);
    return known !== undefined && known !== owner;
  }

  /** Whether this owner may receive a server's notifications about a task. */
  isVisibleTo(owner: string, taskId: unknown, place: ServerRef): boolean {
    if (this.owns(owner, taskId, place)) return true;
    // A task that an earlier run of the workbench started can only belong to its single client.
    return owner === SOLE_OWNER && this.placesOf(taskId, owner).length === 0;
  }

  /** Remembers the task that an answer announces, in the format of either era. */
  record(response: ServerResponse, { place, tasks }: TaskSource, owner: string): void {
    if (!response.mayConcernTask) return;
    const { result } = response.parse();
    if (!isObject(result)) return;
    const task = isObject(result["task"]) ? result["task"] : result;
    this.add(task["taskId"], place, owner);
    tasks.update(task);
    const taskId = relatedTaskOf(result);
    // The result of a task arrives when the task has ended.
    if (taskId !== undefined) tasks.update({ taskId, status: "completed" });
  }

  /** Remembers a task of a server. The first owner keeps it: no other owner may claim it. */
  add(id: unknown, place: ServerRef, owner: string): void {
    if (!isTaskId(id) || this.#owners.has(keyOf(id, place))) return;
    if (this.#owners.size >= MAX_TASKS) this.#forgetOne();
    this.#owners.set(keyOf(id, place), owner);
    const own = this.#byOwner.get(owner) ?? new Map<string, ServerRef[]>();
    this.#byOwner.set(owner, own.set(id, [...(own.get(id) ?? []), place]));
  }

  /**
   * The owner with the most tasks loses its oldest one, so that no owner can displace those of
   * others.
   */
  #forgetOne(): void {
    const [[owner, most] = []] = Array.from(this.#byOwner).sort(([, a], [, b]) => b.size - a.size);
    const [oldest] = most ?? [];
    if (owner === undefined || most === undefined || oldest === undefined) return;
    const [id, places] = oldest;
    for (const place of places) this.#owners.delete(keyOf(id, place));
    most.delete(id);
    if (most.size === 0) this.#byOwner.delete(owner);
  }

  #ownerOf(taskId: unknown, place: ServerRef): string | undefined {
    return typeof taskId === "string" ? this.#owners.get(keyOf(taskId, place)) : undefined;
  }
}

function keyOf(id: string, { toolbox, server }: ServerRef): string {
  return `${toolbox}/${server}/${id}`;
}
