import { useEffect, useRef, useState } from "preact/hooks";
import type { ReadRoutes, Topic } from "../../contract.ts";
import type { ReadAnswer } from "../net/api.ts";
import { versionOf } from "../state/state.ts";
import { useApp } from "./app-context.ts";
import { type Follow, type LoaderState, ResourceLoader } from "./resource-loader.ts";
import { useStore } from "./use-store.ts";

export interface Resource<T> extends LoaderState<T> {
  /** Loads it again. */
  reload(): void;
  /** Replaces the data, with the answer to a change. */
  set(data: T): void;
}

export interface ResourceOptions<T> {
  /** The lists whose changes make it load again. */
  readonly topics?: readonly Topic[];
  readonly onEvent?: Follow<T>;
  /** Shows the old data until data for another query arrives. */
  readonly isKept?: boolean;
}

const EMPTY = { data: undefined, problem: undefined, isLoading: true };

/** Data of the workbench, loaded when it is shown and again when the workbench reports a change. */
export function useResource<P extends keyof ReadRoutes>(
  path: P,
  query: ReadRoutes[P]["query"],
  options: ResourceOptions<ReadAnswer<P>> = {},
): Resource<ReadAnswer<P>> {
  type Data = ReadAnswer<P>;
  const { topics = [], isKept = false } = options;
  const { api, store } = useApp();
  const key = JSON.stringify([path, query]);
  const [held, setHeld] = useState<{ key: string; state: LoaderState<Data> }>({
    key,
    state: EMPTY,
  });
  const loader = useRef<ResourceLoader<Data> | undefined>(undefined);
  const follow = useRef(options.onEvent);
  follow.current = options.onEvent;

  useEffect(() => {
    const current = new ResourceLoader<Data>({
      request: (signal) => api.read(path, query, signal),
      follow: (data, event) => follow.current?.(data, event) ?? data,
      onChange: (state) => setHeld({ key, state }),
      first: isKept ? held.state.data : undefined,
    });
    loader.current = current;
    current.load();
    const leave = store.listen((event) => current.onEvent(event));
    return () => {
      current.close();
      leave();
    };
  }, [api, store, key]);

  const version = useStore((state) => versionOf(state, topics));
  const seen = useRef(version);
  useEffect(() => {
    if (seen.current === version) return;
    seen.current = version;
    loader.current?.load();
  }, [version]);

  const state = held.key === key || isKept ? held.state : EMPTY;
  return {
    ...state,
    reload: () => loader.current?.load(),
    set: (data) => loader.current?.set(data),
  };
}
