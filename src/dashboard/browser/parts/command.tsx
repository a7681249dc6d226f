import type { VNode } from "preact";
import { safeLine } from "../../../text/safe-text.ts";
import { CopyButton } from "./copy-button.tsx";

/** A command to run in a terminal. */
export function Command({ text }: { readonly text: string }): VNode {
  return (
    <span class="bar">
      <code class="wrap">{safeLine(text)}</code>
      <CopyButton text={text} what="command" />
    </span>
  );
}
