import type { ClusterLink } from "../../cluster/cluster-link.ts";
import { type StreamsState, parseStreams } from "../http/streams-state.ts";
import { ADDRESS_KEY, LEASE_KEY } from "../../cluster/replica-lease.ts";

/**
 * Which replica owns which session, in Redis. A session is a hash: `o` the owner (empty if it was released), `f` a number
 * that grows with every owner, `d` what `initialize` declared if the session id does not have it, `s` what changed since.
 * `e` events for the next owner, until it has taken them. The last three are sealed.
 */

const LOOKUP = `
local found = redis.call('HMGET', KEYS[1], 'o', 'f')
if not found[1] then return {} end
if found[1] == '' then return {'', found[2], 0, ''} end
return {found[1], found[2], redis.call('EXISTS', ARGV[1] .. found[1]),
  redis.call('GET', ARGV[2] .. found[1]) or ''}`;

const CLAIM = `
local found = redis.call('HMGET', KEYS[1], 'o', 'f')
if found[1] ~= ARGV[1] or found[2] ~= ARGV[2] then return {} end
if found[1] ~= '' and found[1] ~= ARGV[3] and redis.call('EXISTS', ARGV[5] .. found[1]) == 1 then
  return {}
end
local fence = found[2] + 1
redis.call('HSET', KEYS[1], 'o', ARGV[3], 'f', fence)
redis.call('PEXPIRE', KEYS[1], ARGV[4])
local kept = redis.call('HMGET', KEYS[1], 'd', 's', 'e')
redis.call('HDEL', KEYS[1], 'e')
return {fence, kept[1] or '', kept[2] or '', kept[3] or ''}`;

/** Also after Redis has lost everything. Returns 0 if another replica owns it by now. */
const REGISTER = `
local found = redis.call('HMGET', KEYS[1], 'o', 'f')
if found[1] and (found[1] ~= ARGV[1] or found[2] ~= ARGV[2]) then return 0 end
redis.call('HSET', KEYS[1], 'o', ARGV[1], 'f', ARGV[2])
if ARGV[4] ~= '' then redis.call('HSET', KEYS[1], 'd', ARGV[4]) end
if ARGV[5] ~= '' then redis.call('HSET', KEYS[1], 's', ARGV[5])
else redis.call('HDEL', KEYS[1], 's') end
redis.call('PEXPIRE', KEYS[1], ARGV[3])
return 1`;

/** Only the owner ends or releases a session. */
const END = `
local found = redis.call('HMGET', KEYS[1], 'o', 'f')
if found[1] ~= ARGV[1] or found[2] ~= ARGV[2] then return 0 end
if ARGV[3] == '' then return redis.call('DEL', KEYS[1]) end
redis.call('HSET', KEYS[1], 'o', '')
if ARGV[4] ~= '' then redis.call('HSET', KEYS[1], 'e', ARGV[4]) end
redis.call('PEXPIRE', KEYS[1], ARGV[3])
return 1`;

/** For each session: 1 if it is owned, and its time begins again; 0 if another replica owns it; -1 if it is not known. */
const CONFIRM = `
local states = {}
for i, key in ipairs(KEYS) do
  local found = redis.call('HMGET', key, 'o', 'f')
  if not found[1] then states[i] = -1
  elseif found[1] ~= ARGV[1] or found[2] ~= ARGV[i + 2] then states[i] = 0
  else redis.call('PEXPIRE', key, ARGV[2]) states[i] = 1 end
end
return states`;

/** How many sessions one script looks at; Redis does nothing else in the meantime. */
const CHUNK = 200;

export interface Ownership {
  readonly uid: string;
  readonly fence: number;
}

export interface RegisteredSession extends Ownership {
  /** What `initialize` declared, as JSON; undefined if the session id has it. */
  readonly declared: string | undefined;
  /** What changed since, as JSON. */
  readonly state: string | undefined;
  /** Whether it has to be written again, because its key may be removed next. */
  readonly isOutdated?: boolean | undefined;
  /** The streams that the owner has handed over. */
  readonly streams?: StreamsState | undefined;
}

export interface FoundSession extends Ownership {
  /** The id of a replica; undefined if the session was released. */
  readonly owner: string | undefined;
  readonly isAlive: boolean;
  /** As the owner has sealed it. */
  readonly address: string;
}

export class SessionDirectory {
  readonly #link: ClusterLink;
  readonly #ttlMs: () => number;

  /** @param ttlMs how long a session is kept without use */
  constructor(link: ClusterLink, ttlMs: () => number) {
    this.#link = link;
    this.#ttlMs = ttlMs;
  }

  async find(uid: string): Promise<FoundSession | undefined> {
    const prefixes = [LEASE_KEY, ADDRESS_KEY].map((name) => this.#link.key(name));
    const [owner, fence, lives, address] = (await this.#run(LOOKUP, uid, prefixes)) as string[];
    if (owner === undefined) return undefined;
    return {
      uid,
      fence: Number(fence),
      owner: owner === "" ? undefined : owner,
      isAlive: Number(lives) === 1,
      address: address ?? "",
    };
  }

  /** The address of a replica, as it has sealed it. */
  sealedAddress(replica: string): Promise<unknown> {
    return this.#link.command("GET", this.#link.key(ADDRESS_KEY + replica));
  }

  /** Takes a session whose owner is gone; undefined if that is no longer so. */
  async claim({ uid, owner = "", fence }: FoundSession): Promise<RegisteredSession | undefined> {
    const args = [owner, fence, this.#link.replica, this.#ttlMs(), this.#link.key(LEASE_KEY)];
    const [next, declared, state, streams] = (await this.#run(CLAIM, uid, args)) as unknown[];
    if (next === undefined) return undefined;
    return {
      uid,
      fence: Number(next),
      declared: this.#opened(uid, declared),
      state: this.#opened(uid, state),
      streams: parseStreams(this.#opened(uid, streams)),
      isOutdated: [declared, state].some((sealed) => this.#isOutdated(uid, sealed)),
    };
  }

  /** False if another replica owns the session. */
  async register({ uid, fence, declared, state }: RegisteredSession): Promise<boolean> {
    const texts = [declared, state].map((text) => this.#sealed(uid, text));
    const args = [this.#link.replica, fence, this.#ttlMs(), ...texts];
    return (await this.#run(REGISTER, uid, args)) === 1;
  }

  async end({ uid, fence }: Ownership): Promise<void> {
    await this.#run(END, uid, [this.#link.replica, fence, "", ""]);
  }

  /** Gives a session to the replica that needs it next. */
  async release({ uid, fence }: Ownership, streams?: StreamsState): Promise<void> {
    const sealed = this.#sealed(uid, streams && JSON.stringify(streams));
    const args = [this.#link.replica, fence, this.#ttlMs(), sealed];
    await this.#run(END, uid, args);
  }

  /** Which of these sessions this replica still owns, and which are not known in Redis. */
  async confirm<T extends Ownership>(sessions: readonly T[]): Promise<Map<T, Confirmation>> {
    const confirmed = new Map<T, Confirmation>();
    for (let from = 0; from < sessions.length; from += CHUNK) {
      const chunk = sessions.slice(from, from + CHUNK);
      const keys = chunk.map(({ uid }) => this.#key(uid));
      const fences = chunk.map(({ fence }) => fence);
      const args = [this.#link.replica, this.#ttlMs(), ...fences];
      const states = (await this.#link.script(CONFIRM, keys, args)) as number[];
      for (const [i, session] of chunk.entries())
        confirmed.set(session, states[i] === 1 ? "owned" : states[i] === 0 ? "lost" : "missing");
    }
    return confirmed;
  }

  #run(lua: string, uid: string, args: readonly (string | number)[]): Promise<unknown> {
    return this.#link.script(lua, [this.#key(uid)], args);
  }

  #key(uid: string): string {
    return this.#link.key(`s:${uid}`);
  }

  #sealed(uid: string, text: string | undefined): string {
    return text === undefined ? "" : this.#link.seal(text, `session ${uid}`);
  }

  #isOutdated(uid: string, sealed: unknown): boolean {
    if (typeof sealed !== "string" || sealed === "") return false;
    return !this.#link.isCurrent(sealed, `session ${uid}`);
  }

  #opened(uid: string, sealed: unknown): string | undefined {
    if (typeof sealed !== "string" || sealed === "") return undefined;
    return this.#link.open(sealed, `session ${uid}`);
  }
}

export type Confirmation = "owned" | "lost" | "missing";
