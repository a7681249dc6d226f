import { useEffect, useReducer, useRef } from "preact/hooks";
import type { State } from "../state/state.ts";
import { useApp } from "./app-context.ts";

/** A part of the state; renders again when it changes. `select` must return the same value for the same state. */
export function useStore<T>(select: (state: State) => T): T {
  const { store } = useApp();
  const [, renderAgain] = useReducer((count: number) => count + 1, 0);
  const value = select(store.state);
  const latest = useRef({ select, value });
  latest.current = { select, value };
  useEffect(() => {
    const check = (): void => {
      const { current } = latest;
      if (!Object.is(current.select(store.state), current.value)) renderAgain(undefined);
    };
    // The state may have changed between rendering and this moment.
    check();
    return store.subscribe(check);
  }, [store]);
  return value;
}
