import type { VNode } from "preact";
import type { ResultBlock, ToolCallAnswer } from "../../../contract.ts";
import { safeLine, safeText } from "../../../../text/safe-text.ts";
import { counted, formatBytes, formatDuration } from "../../format.ts";
import { Badge } from "../../parts/badge.tsx";
import { Notice } from "../../parts/notice.tsx";
import { Output } from "../../parts/output.tsx";
import { WebLinkNotice } from "../../parts/web-link.tsx";
import { linkTo } from "../../route.ts";

const OUTCOMES = {
  ok: { tone: "good", text: "Succeeded" },
  tool_error: { tone: "bad", text: "The tool reports an error" },
  error: { tone: "bad", text: "Failed" },
} as const;

/** What a call returned, block by block, and as JSON. */
export function CallResult({ answer }: { readonly answer: ToolCallAnswer }): VNode {
  const { outcome, blocks, error, links, text, isCut } = answer;
  return (
    <section class="stack" aria-label="Result">
      <div class="bar">
        <h3>Result</h3>
        <Badge {...OUTCOMES[outcome]} />
        <span class="muted small">
          {formatDuration(answer.durationMs)}, {formatBytes(answer.bytes)},{" "}
          {counted(answer.tokens, "token")}
        </span>
      </div>
      {error !== null && (
        <Notice tone="bad">
          <p>{safeText(error.message)}</p>
          {error.hint !== undefined && <p class="muted">{safeText(error.hint)}</p>}
        </Notice>
      )}
      {links.map((link, i) => (
        <div key={i} class="stack tight">
          <p class="wrap description">{safeText(link.message)}</p>
          <WebLinkNotice link={link} />
        </div>
      ))}
      {blocks.map((block, i) => (
        <Block key={i} block={block} index={i} />
      ))}
      <details open={blocks.length === 0}>
        <summary>As JSON</summary>
        <Output text={text} label="Result as JSON" />
        {isCut && (
          <p class="muted">
            The rest is not shown. The size of all calls is listed under{" "}
            <a href={linkTo("calls")}>calls</a>.
          </p>
        )}
      </details>
    </section>
  );
}

function Block({ block, index }: { readonly block: ResultBlock; readonly index: number }): VNode {
  const { type, text, mimeType, bytes } = block;
  if (text !== null) return <Output text={text} label={`${safeLine(type)} ${index + 1}`} />;
  return (
    <p class="empty muted">
      {safeLine(type)}
      {mimeType !== null && `, ${safeLine(mimeType)}`}, {formatBytes(bytes)}: not shown here
    </p>
  );
}
