import type { VNode } from "preact";
import type { PinDifference, PinSeverity } from "../../../contract.ts";
import { safeLine } from "../../../../text/safe-text.ts";
import { Badge, type Tone } from "../../parts/badge.tsx";
import { WordDiff } from "../../parts/word-diff.tsx";

interface DifferenceCardProps {
  readonly difference: PinDifference;
  readonly onTrust: (name: string) => void;
}

const SEVERITIES: Readonly<Record<PinSeverity, readonly [Tone, string]>> = {
  severe: ["bad", "Severe"],
  review: ["warn", "Review"],
  cosmetic: ["neutral", "Cosmetic"],
};

const KINDS: Readonly<Record<PinDifference["what"], string>> = {
  tools: "Tool",
  prompts: "Prompt",
  resourceTemplates: "Resource template",
  instructions: "Instructions",
  source: "Package",
  server: "Server",
};

/** One difference: what changed, how serious it is, and the words. */
export function DifferenceCard({ difference, onTrust }: DifferenceCardProps): VNode {
  const { what, name, change, severity, reasons, values } = difference;
  const [tone, text] = SEVERITIES[severity];
  const title = safeLine(`${KINDS[what]} ${name}`);
  return (
    <article class="card" aria-label={`${title} ${change}`}>
      <div class="bar">
        <Badge tone={tone} text={text} />
        <h2 class="wrap">
          {title} {change}
        </h2>
        <span class="spacer" />
        {name !== "" && (
          <button type="button" onClick={() => onTrust(name)}>
            Approve<span class="unseen"> {title}</span>
          </button>
        )}
      </div>
      {reasons.length > 0 && (
        <ul class="reasons">
          {reasons.map((reason) => (
            <li key={reason} class={severity === "severe" ? "bad-text wrap" : "wrap"}>
              {safeLine(reason)}
            </li>
          ))}
        </ul>
      )}
      {values.map(({ path, parts }) => (
        <div key={path} class="stack tight">
          {path !== "" && <code class="muted wrap">{safeLine(path)}</code>}
          <WordDiff parts={parts} />
        </div>
      ))}
    </article>
  );
}
