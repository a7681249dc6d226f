import { setTimeout as delay } from "node:timers/promises";

import type { ClusterLink } from "./cluster-link.ts";

/** After this time without a renewal, another replica may start the server. */
export const SERVER_LEASE_MS = 8_000;
const RENEW_MS = 2_000;
/** The holder stops the server this much earlier, by its own clock. */
const STOP_MS = 2_000;
const POLL_MS = 200;
/** Longer than the lease of a replica that is gone. */
const MAX_WAIT_MS = SERVER_LEASE_MS + 2_000;

/** Takes the lease if no replica has it, renews one's own, and returns the holder. */
const CLAIM = `
local holder = redis.call('GET', KEYS[1])
if not holder then
  redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
  return ARGV[1]
end
if holder == ARGV[1] then redis.call('PEXPIRE', KEYS[1], ARGV[2]) end
return holder`;

const RENEW = `
local holder = redis.call('GET', KEYS[1])
if holder == ARGV[1] then redis.call('PEXPIRE', KEYS[1], ARGV[2]) end
return holder`;

const RELEASE = `
if redis.call('GET', KEYS[1]) == ARGV[1] then redis.call('DEL', KEYS[1]) end`;

/** A replica that runs a server. */
export interface Holder {
  readonly id: string;
  readonly address: string;
}

export interface LeaseEvents {
  /** Another replica may take the lease soon: what it protects has to end now. */
  onLost(): void;
  /** Another replica has, or had, the lease, and not the one that was found last. */
  onMoved(): void;
}

/**
 * The right to run a server, which one replica has at a time. Its holder gives it up before it ends in Redis, by a clock that no one
 * can set. The id of a replica is new at each start, so a lease is never taken for that of an earlier process.
 */
export class ServerLease {
  readonly #link: ClusterLink;
  readonly #events: LeaseEvents;
  readonly #key: string;
  readonly #purpose: string;
  readonly #own: string;
  readonly #timer: NodeJS.Timeout;
  #stop: NodeJS.Timeout | undefined;
  #until = -Infinity;
  #holder: Holder | undefined;
  #isClosed = false;

  /** @param name identifies the server; the same on all replicas */
  constructor(link: ClusterLink, name: string, events: LeaseEvents) {
    this.#link = link;
    this.#events = events;
    this.#key = link.key(`s:${name}`);
    this.#purpose = `server ${name}`;
    this.#own = `${link.replica} ${link.seal(link.advertise, `${this.#purpose} ${link.replica}`)}`;
    this.#timer = setInterval(() => void this.#check(), RENEW_MS).unref();
  }

  get isHeld(): boolean {
    return performance.now() < this.#until;
  }

  /** The replica that had it when it was last checked, unless it is this one. */
  get holder(): Holder | undefined {
    return this.isHeld ? undefined : this.#holder;
  }

  /**
   * Takes the lease, or finds its holder. If that does not answer, waits until its lease has ended. Rejects without Redis.
   * @param answers whether a replica runs the server
   */
  async settle(answers: (holder: Holder) => Promise<boolean>): Promise<void> {
    const begin = performance.now();
    while (!this.isHeld) {
      const sent = performance.now();
      const found = await this.#link.script(CLAIM, [this.#key], [this.#own, SERVER_LEASE_MS]);
      if (this.#isClosed) throw new Error("the workbench is closing");
      if (found === this.#own) return this.#onHeld(sent);
      const holder = this.#holderIn(found);
      if (holder !== undefined && (await answers(holder))) {
        this.#holder = holder;
        return;
      }
      if (performance.now() - begin > MAX_WAIT_MS)
        throw new Error("the replica or command that runs it does not answer");
      await delay(POLL_MS);
    }
  }

  /** Gives it to the next one that asks. */
  async close(): Promise<void> {
    this.#isClosed = true;
    clearInterval(this.#timer);
    clearTimeout(this.#stop);
    this.#until = -Infinity;
    await this.#link.script(RELEASE, [this.#key], [this.#own]).catch(() => {});
  }

  async #check(): Promise<void> {
    const wasHeld = this.isHeld;
    if (!wasHeld && this.#holder === undefined) return;
    const sent = performance.now();
    const renewed = this.#link.script(RENEW, [this.#key], [this.#own, SERVER_LEASE_MS]);
    const found = await renewed.catch(() => undefined);
    if (this.#isClosed || found === undefined) return;
    if (wasHeld) {
      // A lease that was given up is not taken back: its server has ended.
      if (found === this.#own && this.isHeld) this.#onHeld(sent);
      else if (found !== this.#own) this.#onLost();
    } else if (this.#holderIn(found)?.id !== this.#holder?.id) {
      this.#holder = undefined;
      this.#events.onMoved();
    }
  }

  #onHeld(sent: number): void {
    this.#holder = undefined;
    this.#until = sent + SERVER_LEASE_MS - STOP_MS;
    clearTimeout(this.#stop);
    const left = this.#until - performance.now();
    this.#stop = setTimeout(() => this.#onLost(), left).unref();
  }

  #onLost(): void {
    clearTimeout(this.#stop);
    this.#until = -Infinity;
    this.#events.onLost();
  }

  /** Undefined if no replica has it, or none has written it. */
  #holderIn(found: unknown): Holder | undefined {
    const [id = "", sealed = ""] = String(found ?? "").split(" ");
    const address = this.#link.open(sealed, `${this.#purpose} ${id}`);
    return address === undefined ? undefined : { id, address };
  }
}
