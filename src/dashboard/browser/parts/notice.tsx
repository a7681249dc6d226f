import type { ComponentChildren, VNode } from "preact";

interface NoticeProps {
  readonly tone?: "good" | "warn" | "bad";
  /** Has a screen reader say it when it appears. */
  readonly isUrgent?: boolean;
  readonly children: ComponentChildren;
}

export function Notice({ tone, isUrgent = false, children }: NoticeProps): VNode {
  return (
    <div class={`notice wrap ${tone ?? ""}`} {...(isUrgent && { role: "alert" })}>
      {children}
    </div>
  );
}
