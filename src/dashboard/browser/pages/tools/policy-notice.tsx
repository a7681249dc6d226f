import type { VNode } from "preact";
import type { ToolDetail } from "../../../contract.ts";
import { Notice } from "../../parts/notice.tsx";

/** What the rules say about calls of a tool. */
export function PolicyNotice({ policy }: Pick<ToolDetail, "policy">): VNode | null {
  if (policy === "deny")
    return <Notice tone="bad">The policy denies calls of this tool, also yours.</Notice>;
  if (policy === "allow") return null;
  return (
    <Notice tone="warn">
      {policy === "ask"
        ? "Calls of this tool have to be approved"
        : "Depending on the arguments, calls of this tool are denied or have to be approved"}
      .
    </Notice>
  );
}
