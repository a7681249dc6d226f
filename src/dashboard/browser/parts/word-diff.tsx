import type { VNode } from "preact";
import type { PinValue } from "../../contract.ts";
import { safeText } from "../../../text/safe-text.ts";

/** The difference between two texts, word by word. */
export function WordDiff({ parts }: { readonly parts: PinValue["parts"] }): VNode {
  return (
    <pre>
      {parts.map(({ mark, text }, i) => {
        const shown = safeText(text);
        if (mark === "+")
          return (
            <ins key={i}>
              <span class="unseen"> added: </span>
              {shown}
            </ins>
          );
        if (mark === "-")
          return (
            <del key={i}>
              <span class="unseen"> removed: </span>
              {shown}
            </del>
          );
        return shown;
      })}
    </pre>
  );
}
