import type { VNode } from "preact";
import type { ToolSummary } from "../../../contract.ts";
import { safeLine } from "../../../../text/safe-text.ts";

interface ToolRowProps {
  readonly index: number;
  readonly total: number;
  readonly top: number;
  /** Undefined while it is loading. */
  readonly tool: ToolSummary | undefined;
  readonly current: readonly string[];
  readonly linkOf: (tool: ToolSummary) => string;
}

/** Moves the focus to the next or previous row with the arrow keys. */
function onKey(event: KeyboardEvent): void {
  const step = { ArrowDown: "nextElementSibling", ArrowUp: "previousElementSibling" } as const;
  const item = event.currentTarget instanceof Element ? event.currentTarget.parentElement : null;
  const side = event.key === "ArrowDown" || event.key === "ArrowUp" ? step[event.key] : undefined;
  const target = side && item?.[side]?.querySelector("a");
  if (!target) return;
  event.preventDefault();
  target.focus();
}

export function ToolRow({ index, total, top, tool, current, linkOf }: ToolRowProps): VNode {
  const [toolbox, server, name] = current;
  const isCurrent =
    tool !== undefined && tool.toolbox === toolbox && tool.server === server && tool.name === name;
  return (
    <li
      aria-setsize={total}
      aria-posinset={index + 1}
      style={{ transform: `translateY(${top}px)` }}
    >
      {tool === undefined ? (
        <span class="row muted">Loading …</span>
      ) : (
        <a
          class="row"
          href={linkOf(tool)}
          onKeyDown={onKey}
          {...(isCurrent && { "aria-current": "true" as const })}
        >
          <span>
            <strong>{safeLine(tool.name)}</strong>{" "}
            <span class="muted small">{safeLine(`${tool.toolbox}/${tool.server}`)}</span>
          </span>
          <span class="muted small">{safeLine(tool.description || tool.signature)}</span>
        </a>
      )}
    </li>
  );
}
