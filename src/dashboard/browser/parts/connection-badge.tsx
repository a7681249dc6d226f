import type { VNode } from "preact";
import { useStore } from "../hooks/use-store.ts";
import type { Connection } from "../state/state.ts";
import { Badge, type Tone } from "./badge.tsx";

const SHOWN: Readonly<Record<Connection, readonly [Tone, string]>> = {
  connecting: ["neutral", "Connecting"],
  live: ["good", "Live"],
  reconnecting: ["warn", "Reconnecting"],
  stopped: ["bad", "Stopped"],
};

/** Whether what is shown is up to date. */
export function ConnectionBadge(): VNode {
  const connection = useStore((state) => state.connection);
  const [tone, text] = SHOWN[connection];
  return (
    <span role="status" aria-label="Connection to the workbench">
      <Badge tone={tone} text={text} />
    </span>
  );
}
