import type { ClientCall, Step } from "../../calls/call.ts";
import type { OnServer } from "../../calls/destination.ts";
import { failure } from "../../calls/outcome.ts";
import { rateLimited } from "../../calls/rate-limited.ts";
import type { ClusterLink } from "../../cluster/cluster-link.ts";
import type { RateLimit } from "../../config/types.ts";
import { ContinuedCalls } from "../continued-calls.ts";
import { type Excess, RateLimits } from "./rate-limits.ts";
import { SharedCounters } from "./shared-counters.ts";

/** The same step for one of several replicas. */
export function sharedRateLimitStep(settings: () => readonly RateLimit[], link: ClusterLink): Step {
  return rateLimitStep(settings, new RateLimits(), new SharedCounters(link));
}

type MaybeExcess = Excess | undefined | Promise<Excess | undefined>;

/** Refuses calls that come too often, before their server is started. */
export function rateLimitStep(
  settings: () => readonly RateLimit[],
  limits = new RateLimits(),
  /** What all replicas have counted. */
  counters?: SharedCounters,
): Step {
  const continued = new ContinuedCalls();
  const admit = ({ principal }: ClientCall, tool: string | undefined): MaybeExcess =>
    counters === undefined
      ? limits.admit(principal, tool)
      : limits.admitTogether(principal, tool, counters);
  return async (call, next) => {
    const { destination } = call;
    if (destination?.server === undefined || UNCOUNTED.test(call.method)) return next();
    const { place } = destination.server;
    const tool = toolOf(call, destination);
    const key = (): string => JSON.stringify([call.principal.id, place, call.method, call.subject]);
    limits.configure(settings());
    const excess = continued.take(call, key) ? undefined : await admit(call, tool);
    if (excess !== undefined) return failure(errorFor(excess));
    const outcome = await next();
    continued.note(call, outcome, key);
    return outcome;
  };
}

/** Methods that follow a call, or that clients send on their own accord. */
const UNCOUNTED =
  /^(?:tasks\/|logging\/|ping$|resources\/(?:un)?subscribe$|server\/discover$)|\/list$/;

function toolOf({ method, subject }: ClientCall, { server, tool }: OnServer): string | undefined {
  if (method !== "tools/call") return undefined;
  return `${server.place.server}/${tool?.name ?? subject}`;
}

function errorFor({ limit, waitMs }: Excess): Error {
  const { tools = [], calls, perMs } = limit;
  const rate = `${calls} ${calls === 1 ? "call" : "calls"} per ${period(perMs)}`;
  return rateLimited({ what: tools.join(", "), rate, waitMs: Math.ceil(waitMs) });
}

const PERIODS: ReadonlyMap<number, string> = new Map([
  [1000, "second"],
  [60_000, "minute"],
  [3_600_000, "hour"],
  [86_400_000, "day"],
]);

function period(ms: number): string {
  const named = PERIODS.get(ms);
  if (named !== undefined) return named;
  return ms % 1000 === 0 ? `${ms / 1000} seconds` : `${ms} ms`;
}
