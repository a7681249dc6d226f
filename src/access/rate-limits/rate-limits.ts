import type { Principal } from "../../calls/principal.ts";
import type { RateLimit } from "../../config/types.ts";
import { type Matcher, globMatcher } from "../../text/glob.ts";
import { type Rate, RateCounters } from "./rate-counters.ts";

/** A limit that does not allow a call now. */
export interface Excess {
  readonly limit: RateLimit;
  readonly waitMs: number;
}

interface CompiledLimit extends Rate {
  readonly limit: RateLimit;
  /** Equal for limits that mean the same: they keep their counts when the configuration changes. */
  readonly key: string;
  readonly appliesTo: (principal: Principal) => boolean;
  readonly matchers: readonly Matcher[] | undefined;
}

/** The limits of a configuration, and how much of them is used. */
export class RateLimits {
  readonly #counters: RateCounters;
  #settings: readonly RateLimit[] | undefined;
  #limits: readonly CompiledLimit[] = [];

  constructor(counters = new RateCounters()) {
    this.#counters = counters;
  }

  configure(settings: readonly RateLimit[]): void {
    if (settings === this.#settings) return;
    this.#settings = settings;
    // A limit that is written twice must not count a call twice.
    this.#limits = [...new Map(settings.map((limit) => [keyOf(limit), compile(limit)])).values()];
  }

  /**
   * Counts a call; `tool` is `server/tool`, or undefined for other methods. If a limit does not allow
   * it, nothing is counted.
   */
  admit(principal: Principal, tool: string | undefined): Excess | undefined {
    const limits = this.#limits.filter(
      ({ appliesTo, matchers }) =>
        appliesTo(principal) &&
        (matchers === undefined || (tool !== undefined && matchers.some((test) => test(tool)))),
    );
    let excess: Excess | undefined;
    for (const one of limits) {
      const waitMs = this.#counters.waitMs(counterOf(principal, one), one);
      if (waitMs > (excess?.waitMs ?? 0)) excess = { limit: one.limit, waitMs };
    }
    if (excess === undefined)
      for (const one of limits) this.#counters.count(counterOf(principal, one), one);
    return excess;
  }
}

function compile(limit: RateLimit): CompiledLimit {
  const { clients, tools, calls, perMs, burst = calls } = limit;
  const names = clients?.map(globMatcher);
  return {
    limit,
    key: keyOf(limit),
    calls,
    perMs,
    burst,
    appliesTo: ({ name }) => names === undefined || names.some((test) => test(name)),
    matchers: tools?.map(globMatcher),
  };
}

function keyOf({ clients, tools, calls, perMs, burst = calls }: RateLimit): string {
  return JSON.stringify([clients, tools, calls, perMs, burst]);
}

/** The session is no part of it: a new one must not reset the count. */
function counterOf({ id }: Principal, { key }: CompiledLimit): string {
  return `${key} ${id}`;
}
