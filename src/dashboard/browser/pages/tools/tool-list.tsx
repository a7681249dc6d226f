import type { VNode } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import type { ToolSummary } from "../../../contract.ts";
import { counted } from "../../format.ts";
import { Empty } from "../../parts/empty.tsx";
import { Failure } from "../../parts/failure.tsx";
import { rowsInView } from "../../state/paged-list.ts";
import { ToolRow } from "./tool-row.tsx";
import { UnknownServers } from "./unknown-servers.tsx";
import { type ToolListQuery, useToolPages } from "./use-tool-pages.ts";

interface ToolListProps {
  readonly query: ToolListQuery;
  /** Toolbox, server and name of the tool that is shown. */
  readonly current: readonly string[];
  readonly linkOf: (tool: ToolSummary) => string;
}

/** The height of `.row` in the style sheet. */
const ROW_HEIGHT = 60;

/** A list of any length, of which only the part in view exists. */
export function ToolList({ query, current, linkOf }: ToolListProps): VNode {
  const shown = useToolPages(query);
  const pages = shown?.pages;
  const frame = useRef<HTMLDivElement>(null);
  const [view, setView] = useState({ top: 0, height: 640 });
  const total = pages?.latest?.total ?? 0;
  const { first, end } = rowsInView({ ...view, rowHeight: ROW_HEIGHT }, total);

  const measure = (): void => {
    const { scrollTop: top, clientHeight: height } = frame.current ?? {
      scrollTop: 0,
      clientHeight: 640,
    };
    setView((old) => (old.top === top && old.height === height ? old : { top, height }));
  };
  useEffect(measure, [total]);
  useEffect(() => frame.current?.scrollTo({ top: 0 }), [query.q, query.toolbox, query.server]);
  useEffect(() => pages?.need(first, end), [pages, first, end]);

  if (shown === undefined || pages === undefined) return <p class="muted">Loading …</p>;
  const { latest, problem } = pages;
  const rows = Array.from({ length: end - first }, (_, i) => first + i);
  return (
    <section class="stack" aria-label="Tools found">
      <Failure problem={problem} onRetry={() => pages.need(first, end)} />
      <p class="muted small" role="status">
        {counted(total, "tool")}
        {shown.q !== "" && ", the best match first"}
      </p>
      {latest !== undefined && total === 0 && (
        <Empty title="No tool found">
          {shown.q === ""
            ? "Servers report their tools when they are connected for the first time."
            : "Try other words: what the tool does, or what it works with."}
        </Empty>
      )}
      {total > 0 && (
        <div class="window" ref={frame} onScroll={measure} tabIndex={-1}>
          <ul class="rows" style={{ height: `${total * ROW_HEIGHT}px` }}>
            {rows.map((index) => (
              <ToolRow
                key={index}
                index={index}
                total={total}
                top={index * ROW_HEIGHT}
                tool={pages.at(index)}
                current={current}
                linkOf={linkOf}
              />
            ))}
          </ul>
        </div>
      )}
      <UnknownServers servers={latest?.unknown ?? []} />
    </section>
  );
}
