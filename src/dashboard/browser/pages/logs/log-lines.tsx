import { Fragment, type VNode } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import type { LogLine } from "../../../contract.ts";
import { safeText } from "../../../../text/safe-text.ts";
import { formatTime } from "../../format.ts";

const STYLES: Readonly<Record<string, string>> = { error: "bad-text", warn: "warn-text" };

/** How far from its end a log may be scrolled and still follow new lines. */
const NEAR_PX = 40;

/** Lines of the log; scrolled to its end, it stays there. */
export function LogLines({ lines }: { readonly lines: readonly LogLine[] }): VNode {
  const frame = useRef<HTMLDivElement>(null);
  const isAtEnd = useRef(true);
  useLayoutEffect(() => {
    if (isAtEnd.current) frame.current?.scrollTo({ top: frame.current.scrollHeight });
  }, [lines]);
  const onScroll = (): void => {
    const { scrollHeight = 0, scrollTop = 0, clientHeight = 0 } = frame.current ?? {};
    isAtEnd.current = scrollHeight - scrollTop - clientHeight < NEAR_PX;
  };
  return (
    <div
      class="window log-frame"
      ref={frame}
      onScroll={onScroll}
      tabIndex={0}
      role="log"
      aria-label="Log"
    >
      <div class="log">
        {lines.map(({ time, level, text }, i) => (
          <Fragment key={i}>
            <span class="muted">{time === null ? "" : formatTime(Date.parse(time))}</span>
            <span class={STYLES[level ?? ""] ?? "muted"}>{level ?? ""}</span>
            <span class="wrap">{safeText(text)}</span>
          </Fragment>
        ))}
      </div>
    </div>
  );
}
