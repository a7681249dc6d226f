import type { VNode } from "preact";
import type { PinFinding } from "../../../contract.ts";
import { safeLine } from "../../../../text/safe-text.ts";
import { formatCount } from "../../format.ts";
import { Notice } from "../../parts/notice.tsx";

/** More would push the differences out of sight. */
const MAX_SHOWN = 20;

/** Texts that speak to a model instead of describing a tool. */
export function Findings({ findings }: { readonly findings: readonly PinFinding[] }): VNode | null {
  if (findings.length === 0) return null;
  return (
    <Notice tone="warn">
      <p>Some texts speak to the model instead of describing a tool:</p>
      <ul class="reasons">
        {findings.slice(0, MAX_SHOWN).map(({ what, name, signals }, i) => (
          <li key={i}>{safeLine(`${what} ${name}: ${signals.join(", ")}`)}</li>
        ))}
        {findings.length > MAX_SHOWN && (
          <li>and {formatCount(findings.length - MAX_SHOWN)} more</li>
        )}
      </ul>
    </Notice>
  );
}
