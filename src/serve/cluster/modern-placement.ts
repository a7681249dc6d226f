import type { ServerResponse as HttpResponse } from "node:http";

import type { ClusterLink } from "../../cluster/cluster-link.ts";
import type { ReplicaLease } from "../../cluster/replica-lease.ts";
import { openReplicaToken } from "../../cluster/replica-token.ts";
import { workbenchError } from "../../errors.ts";
import { classify, errorText, isObject } from "../../wire/messages.ts";
import { writeJson } from "../http/http-responses.ts";
import type { ModernPlaced } from "../http/placement.ts";
import type { Peer, PeerClient } from "./peer-client.ts";
import { fetchFrom } from "./peer-fetch.ts";
import type { RequestRouter } from "./request-router.ts";

/** Where replicas ask each other about a task; its id follows, as base64url. */
export const TASK_PATH = "/.cluster/task/";
const MAX_TASK_CHARS = 1024;

export interface ModernPlacementOptions {
  readonly link: ClusterLink;
  readonly lease: ReplicaLease;
  readonly peers: PeerClient;
  readonly router: RequestRouter;
  readonly isKnownTask: (taskId: string) => boolean;
}

/**
 * Finds the replica that a modern request needs: the one where a call waits for input, or a task runs. Any replica handles all
 * other requests.
 */
export class ModernPlacement {
  readonly #options: ModernPlacementOptions;

  constructor(options: ModernPlacementOptions) {
    this.#options = options;
  }

  /** Has a request handled elsewhere; false if that is not necessary. */
  place(placed: ModernPlaced): boolean {
    const { message } = placed.body;
    const params = isObject(message) ? message["params"] : undefined;
    if (!isObject(message) || !isObject(params)) return false;
    const { link, isKnownTask } = this.#options;
    const token = openReplicaToken(link, params["requestState"]);
    if (token !== undefined) {
      const { replica, address } = token;
      if (replica !== link.replica) void this.#pass(replica, placed, address);
      return replica !== link.replica;
    }
    const { taskId } = params;
    if (!String(message["method"]).startsWith("tasks/") || typeof taskId !== "string") return false;
    if (taskId.length > MAX_TASK_CHARS || isKnownTask(taskId)) return false;
    void this.#passToTask(taskId, placed);
    return true;
  }

  /** Answers another replica. */
  answer(path: string, response: HttpResponse): void {
    const taskId = Buffer.from(path.slice(TASK_PATH.length), "base64url").toString("utf8");
    response.writeHead(this.#options.isKnownTask(taskId) ? 204 : 404).end();
  }

  async #passToTask(taskId: string, placed: ModernPlaced): Promise<void> {
    const { lease, peers } = this.#options;
    await lease.renew();
    const path = TASK_PATH + Buffer.from(taskId).toString("base64url");
    const asked = Array.from(lease.peers, async ([id, address]): Promise<Peer | undefined> => {
      const answer = await fetchFrom(peers, { id, address }, path, 0);
      return answer?.status === 204 ? { id, address } : undefined;
    });
    const found = (await Promise.all(asked)).find((peer) => peer !== undefined);
    if (found === undefined) placed.here();
    else await this.#pass(found.id, placed);
  }

  /** @param former where it was when it made the token: it may have started while Redis was away */
  async #pass(id: string, placed: ModernPlaced, former?: string): Promise<void> {
    const { lease, router } = this.#options;
    const { response, bytes, body } = placed;
    // It may have started a moment ago.
    if (!lease.peers.has(id)) await lease.renew();
    const address = lease.peers.get(id) ?? former;
    const outcome =
      address === undefined ? "gone" : await router.pass({ id, address }, placed, bytes);
    if (outcome === "answered" || response.destroyed) return;
    // What the call has done before it waited is not known.
    const incoming = classify(body.message, body.text);
    const idText = incoming.kind === "request" ? incoming.request.idText : "null";
    writeJson(response, 200, [errorText(idText, workbenchError("REPLICA_LOST", {}).rpcError)]);
  }
}
