import { useRef, useState } from "preact/hooks";
import { type ApiProblem, asProblem, isAborted } from "../net/api-problem.ts";

export interface Action {
  readonly isBusy: boolean;
  readonly problem: ApiProblem | undefined;
  /** Runs a change, one at a time; reports its problem instead of throwing it. */
  run(change: (signal: AbortSignal) => Promise<void>): void;
  /** Gives up what is running. */
  cancel(): void;
  /** Forgets the problem. */
  clear(): void;
}

/** Something that a person does and that takes time. */
export function useAction(): Action {
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState<ApiProblem>();
  const running = useRef<AbortController | undefined>(undefined);
  return {
    isBusy,
    problem,
    run(change) {
      if (running.current !== undefined) return;
      const abort = new AbortController();
      running.current = abort;
      setBusy(true);
      setProblem(undefined);
      void change(abort.signal)
        .catch((error: unknown) => {
          if (!isAborted(error)) setProblem(asProblem(error));
        })
        .then(() => {
          running.current = undefined;
          setBusy(false);
        });
    },
    cancel: () => running.current?.abort(),
    clear: () => setProblem(undefined),
  };
}
