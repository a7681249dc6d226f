import type { VNode } from "preact";
import { safeText } from "../../../text/safe-text.ts";

/** What a line of a unified diff is about. */
function kindOf(line: string): { readonly name: string; readonly said: string } {
  if (/^(?:---|\+\+\+|@@)/.test(line)) return { name: "muted", said: "" };
  if (line.startsWith("+")) return { name: "added", said: "added: " };
  if (line.startsWith("-")) return { name: "removed", said: "removed: " };
  return { name: "", said: "" };
}

/** A unified diff, line by line. */
export function Diff({ text, label }: { readonly text: string; readonly label: string }): VNode {
  return (
    <pre tabIndex={0} role="region" aria-label={label}>
      {safeText(text)
        .replace(/\n$/, "")
        .split("\n")
        .map((line, i) => {
          const { name, said } = kindOf(line);
          return (
            <span key={i} class={`line ${name}`}>
              {said !== "" && <span class="unseen">{said}</span>}
              {line}
            </span>
          );
        })}
    </pre>
  );
}
