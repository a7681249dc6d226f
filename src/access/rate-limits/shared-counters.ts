import type { ClusterLink } from "../../cluster/cluster-link.ts";
import type { Rate } from "./rate-counters.ts";

/** A rate that is counted under a key. */
export interface CountedRate {
  readonly key: string;
  readonly rate: Rate;
}

/** A replica that counted nothing for this long is not expected to do so while Redis is away. */
const REPLICA_MS = 10 * 60_000;

/**
 * The algorithm of `RateCounters`, by the clock of Redis. Counts the call only if all rates allow it. Returns how many
 * replicas count calls, and how long the call has to wait for each rate.
 */
const COUNT = `
local time = redis.call('TIME')
local now = time[1] * 1000 + time[2] / 1000
redis.call('ZADD', KEYS[1], now, ARGV[1])
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now - tonumber(ARGV[2]))
redis.call('PEXPIRE', KEYS[1], ARGV[2])
local answer = { redis.call('ZCARD', KEYS[1]) }
local due, isAllowed = {}, true
for i = 2, #KEYS do
  due[i] = math.max(tonumber(redis.call('GET', KEYS[i]) or '0'), now)
  local wait = due[i] - now - tonumber(ARGV[2 * i])
  if wait > 0.001 then isAllowed = false else wait = 0 end
  answer[i] = tostring(wait)
end
if isAllowed then
  for i = 2, #KEYS do
    local next = due[i] + tonumber(ARGV[2 * i - 1])
    redis.call('SET', KEYS[i], string.format('%.3f', next), 'PX', math.ceil(next - now) + 1)
  end
end
return answer`;

/** Counts the calls of all replicas together, in Redis. */
export class SharedCounters {
  readonly #link: ClusterLink;
  #replicas = 1;

  constructor(link: ClusterLink) {
    this.#link = link;
  }

  /** How many replicas were counting calls when Redis was last reached. */
  get replicas(): number {
    return this.#replicas;
  }

  /**
   * How long a call has to wait for each rate; if for none, it is counted. Undefined if Redis is away.
   */
  async count(rates: readonly CountedRate[]): Promise<readonly number[] | undefined> {
    const link = this.#link;
    // Neither the names of clients nor the limits can be read in Redis.
    const keys = rates.map(({ key }) => link.key(`rate:${link.sign(key, "rate")}`));
    const args = rates.flatMap(({ rate: { calls, perMs, burst } }) => [
      perMs / calls,
      ((burst - 1) * perMs) / calls,
    ]);
    try {
      const answer = await link.script(
        COUNT,
        [link.key("rates:replicas"), ...keys],
        [link.replica, REPLICA_MS, ...args],
      );
      const [replicas, ...waits] = (answer as unknown[]).map(Number);
      this.#replicas = Math.max(1, replicas ?? 1);
      return waits;
    } catch {
      return undefined;
    }
  }

  /** The part of a rate that this replica allows while Redis is away. */
  part({ calls, perMs, burst }: Rate): Rate {
    const part = (number: number): number => Math.max(1, Math.floor(number / this.#replicas));
    return { calls: part(calls), perMs, burst: part(burst) };
  }
}
