import type { VNode } from "preact";
import type { PinFinding } from "../../../contract.ts";
import { safeLine } from "../../../../text/safe-text.ts";
import { Notice } from "../../parts/notice.tsx";

/** Texts that speak to a model instead of describing a tool. */
export function Findings({ findings }: { readonly findings: readonly PinFinding[] }): VNode | null {
  if (findings.length === 0) return null;
  return (
    <Notice tone="warn">
      <p>Some texts speak to the model instead of describing a tool:</p>
      <ul class="reasons">
        {findings.map(({ what, name, signals }, i) => (
          <li key={i}>{safeLine(`${what} ${name}: ${signals.join(", ")}`)}</li>
        ))}
      </ul>
    </Notice>
  );
}
