import type { ComponentChildren, VNode } from "preact";

interface EmptyProps {
  readonly title: string;
  /** What to do next. */
  readonly children?: ComponentChildren;
}

/** In place of a list without entries. */
export function Empty({ title, children }: EmptyProps): VNode {
  return (
    <div class="empty stack tight">
      <h2>{title}</h2>
      <div class="muted">{children}</div>
    </div>
  );
}
