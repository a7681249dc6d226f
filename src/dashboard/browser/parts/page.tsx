import type { ComponentChildren, VNode } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { useStore } from "../hooks/use-store.ts";

interface PageProps {
  readonly title: string;
  /** Beside the title. */
  readonly actions?: ComponentChildren;
  readonly children: ComponentChildren;
}

/** A page with its heading, which gets the focus, so that a screen reader says where the user is. */
export function Page({ title, actions, children }: PageProps): VNode {
  const heading = useRef<HTMLHeadingElement>(null);
  const waiting = useStore((state) => state.waiting);
  useEffect(() => {
    // Visible in a tab that is in the background, while a call waits.
    document.title = `${waiting > 0 ? `(${waiting}) ` : ""}${title} · MCP Workbench`;
  }, [title, waiting]);
  useEffect(() => {
    // Not while something is typed, such as a search that changes the address.
    const isTyping = document.activeElement?.matches("input, textarea, select") ?? false;
    if (!isTyping) heading.current?.focus({ preventScroll: true });
  }, [title]);
  return (
    <div class="page fade">
      <div class="bar">
        <h1 ref={heading} tabIndex={-1}>
          {title}
        </h1>
        <span class="spacer" />
        {actions}
      </div>
      {children}
    </div>
  );
}
