import type { Principal } from "../../calls/principal.ts";
import type { RateLimit } from "../../config/types.ts";
import { type Matcher, globMatcher } from "../../text/glob.ts";
import { type Rate, RateCounters } from "./rate-counters.ts";
import type { SharedCounters } from "./shared-counters.ts";

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
    return this.#admitHere(principal, this.#limitsFor(principal, tool), (rate) => rate);
  }

  /** The same for the calls of all replicas together; while Redis is away, each of them allows its part. */
  async admitTogether(
    principal: Principal,
    tool: string | undefined,
    counters: SharedCounters,
  ): Promise<Excess | undefined> {
    const limits = this.#limitsFor(principal, tool);
    if (limits.length === 0) return undefined;
    const waits = await counters.count(
      limits.map((one) => ({ key: counterOf(principal, one), rate: one })),
    );
    if (waits !== undefined) return longestWait(limits, (_limit, i) => waits[i] ?? 0);
    return this.#admitHere(principal, limits, (rate) => counters.part(rate));
  }

  #admitHere(
    principal: Principal,
    limits: readonly CompiledLimit[],
    rateOf: (limit: CompiledLimit) => Rate,
  ): Excess | undefined {
    const excess = longestWait(limits, (one) =>
      this.#counters.waitMs(counterOf(principal, one), rateOf(one)),
    );
    if (excess === undefined)
      for (const one of limits) this.#counters.count(counterOf(principal, one), rateOf(one));
    return excess;
  }

  #limitsFor(principal: Principal, tool: string | undefined): readonly CompiledLimit[] {
    return this.#limits.filter(
      ({ appliesTo, matchers }) =>
        appliesTo(principal) &&
        (matchers === undefined || (tool !== undefined && matchers.some((test) => test(tool)))),
    );
  }
}

function longestWait(
  limits: readonly CompiledLimit[],
  waitOf: (limit: CompiledLimit, index: number) => number,
): Excess | undefined {
  let excess: Excess | undefined;
  for (const [i, one] of limits.entries()) {
    const waitMs = waitOf(one, i);
    if (waitMs > (excess?.waitMs ?? 0)) excess = { limit: one.limit, waitMs };
  }
  return excess;
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
