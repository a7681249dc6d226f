import type { ComponentChildren, VNode } from "preact";
import type { Resource } from "../hooks/use-resource.ts";
import { Failure } from "./failure.tsx";

interface LoadedProps<T> {
  readonly resource: Resource<T>;
  readonly children: (data: T) => ComponentChildren;
}

/** Shows data once it is loaded; before that, that it is loading or why it cannot be loaded. */
export function Loaded<T>({ resource, children }: LoadedProps<T>): VNode {
  const { data, problem, reload } = resource;
  return (
    <>
      <Failure problem={problem} onRetry={reload} />
      {data !== undefined && children(data)}
      {data === undefined && problem === undefined && (
        <p class="muted" role="status">
          Loading …
        </p>
      )}
    </>
  );
}
