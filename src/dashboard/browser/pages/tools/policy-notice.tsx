import type { VNode } from "preact";
import type { ToolDetail } from "../../../contract.ts";
import { Notice } from "../../parts/notice.tsx";
import { linkTo } from "../../route.ts";

interface PolicyNoticeProps {
  readonly policy: ToolDetail["policy"];
  readonly isCalling: boolean;
}

/** What the rules say about calls of a tool. */
export function PolicyNotice({ policy, isCalling }: PolicyNoticeProps): VNode | null {
  if (policy === "deny")
    return <Notice tone="bad">The policy denies calls of this tool, also yours.</Notice>;
  if (policy === "allow") return null;
  const link = <a href={linkTo("approvals")}>approvals</a>;
  if (isCalling)
    return (
      <Notice tone="warn" isUrgent>
        The call may wait for your answer under {link}.
      </Notice>
    );
  return (
    <Notice tone="warn">
      {policy === "ask"
        ? "Calls of this tool have to be approved"
        : "Depending on the arguments, calls of this tool are denied or have to be approved"}
      , under {link}.
    </Notice>
  );
}
