import type { VNode } from "preact";
import type { ToolDetail } from "../../../contract.ts";
import { ServerQuestions } from "./server-questions.tsx";
import { WaitingApprovals } from "./waiting-approvals.tsx";

interface WaitingCallProps {
  readonly call: string;
  readonly tool: ToolDetail;
}

/** What a call may wait for: an approval, and answers to questions of the server. */
export function WaitingCall({ call, tool }: WaitingCallProps): VNode {
  const { toolbox, server, policy } = tool;
  return (
    <>
      {policy !== "allow" && <WaitingApprovals {...tool} />}
      <ServerQuestions call={call} toolbox={toolbox} server={server} />
    </>
  );
}
