import type { VNode } from "preact";
import { safeText } from "../../../text/safe-text.ts";

interface OutputProps {
  readonly text: string;
  /** What it is, for screen readers; it can be scrolled with the keyboard. */
  readonly label: string;
}

/** Text of a server, as it is, with characters that would hide or reorder text as escapes. */
export function Output({ text, label }: OutputProps): VNode {
  return (
    <pre tabIndex={0} role="region" aria-label={label}>
      {safeText(text)}
    </pre>
  );
}
