import {
  type ClientProfile,
  type SharedUse,
  clientProfile,
} from "../../protocol/client-profile.ts";
import { CAPABILITIES_KEY, INFO_KEY } from "../../protocol/envelope.ts";
import { type JsonObject, isObject } from "../../wire/messages.ts";

const MAX_KINDS = 1000;
const UNKNOWN = { name: "unknown", version: "0" };

export interface ModernClientOptions {
  /** Whose tasks the client sees; set if it is one of several that have a connection. */
  readonly owner?: string | undefined;
  /** Set for a client of a shared workbench. */
  readonly shared?: SharedUse | undefined;
}

/**
 * The profiles of modern clients, which identify themselves with every request and have no
 * sessions. Requests with the same profile may share a connection. For a server that must not be
 * shared, requests in flight at the same time count as different clients.
 */
export class ModernProfiles {
  readonly #one: boolean;
  readonly #shared: SharedUse | undefined;
  readonly #free = new Map<string, ClientProfile[]>();

  /** `one` if all requests come from one client. */
  constructor(one: boolean, shared?: SharedUse) {
    this.#one = one;
    this.#shared = shared;
  }

  /** The profile for a request with this `_meta`, until it is released. */
  take(meta: JsonObject): { profile: ClientProfile; release: () => void } {
    const capabilities = isObject(meta[CAPABILITIES_KEY]) ? meta[CAPABILITIES_KEY] : {};
    const info = isObject(meta[INFO_KEY]) ? meta[INFO_KEY] : UNKNOWN;
    const free = this.#freeFor(JSON.stringify([capabilities, info]));
    const profile = free.pop() ?? clientProfile("modern", capabilities, info, this.#shared);
    if (this.#one) free.push(profile);
    return { profile, release: this.#one ? () => {} : () => void free.push(profile) };
  }

  #freeFor(kind: string): ClientProfile[] {
    const known = this.#free.get(kind);
    if (known !== undefined) return known;
    const [oldest] = this.#free.keys();
    if (this.#free.size >= MAX_KINDS && oldest !== undefined) this.#free.delete(oldest);
    const free: ClientProfile[] = [];
    this.#free.set(kind, free);
    return free;
  }
}
