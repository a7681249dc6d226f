import type { VNode } from "preact";
import { useStore } from "../hooks/use-store.ts";
import { Command } from "./command.tsx";
import { Notice } from "./notice.tsx";

/** Says when the page is not up to date, and what to do. */
export function ConnectionNotice(): VNode | null {
  const connection = useStore((state) => state.connection);
  if (connection === "reconnecting")
    return (
      <Notice tone="warn" isUrgent>
        The connection to the workbench is interrupted. What you see may be out of date; the page
        connects again automatically.
      </Notice>
    );
  if (connection === "stopped")
    return (
      <Notice tone="bad" isUrgent>
        <div class="stack tight">
          <p>The workbench has stopped. Start it, then open the dashboard again:</p>
          <Command text="mcp-workbench dashboard" />
        </div>
      </Notice>
    );
  return null;
}
