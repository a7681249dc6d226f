import type { CallObserver } from "../calls/call.ts";

/** One observer for several, in this order; undefined if there are none, so that calls cost nothing. */
export function observersOf(observers: readonly CallObserver[]): CallObserver | undefined {
  const [first] = observers;
  if (first === undefined || observers.length === 1) return first;
  return {
    onStarted(call) {
      for (const observer of observers) observer.onStarted(call);
    },
    onSettled(call, outcome) {
      return observers.reduce((given, observer) => observer.onSettled(call, given), outcome);
    },
    onReplaced(call, stored, given) {
      for (const observer of observers) observer.onReplaced?.(call, stored, given);
    },
  };
}
