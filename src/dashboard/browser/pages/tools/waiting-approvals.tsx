import type { VNode } from "preact";
import { useState } from "preact/hooks";
import type { ToolName } from "../../../contract.ts";
import { useResource } from "../../hooks/use-resource.ts";
import type { ApiProblem } from "../../net/api-problem.ts";
import { Failure } from "../../parts/failure.tsx";
import { PendingApproval } from "../approvals/pending-approval.tsx";

/** The questions that calls of a tool wait for, so that they can be answered beside the call. */
export function WaitingApprovals({ toolbox, server, name }: ToolName): VNode {
  const { data, set, reload } = useResource("/ui/api/approvals", {}, { topics: ["approvals"] });
  const own = data?.pending.filter(
    (one) => one.toolbox === toolbox && one.server === server && one.tool === name,
  );
  const [gone, setGone] = useState<ApiProblem>();
  return (
    <>
      <Failure problem={gone} />
      {own?.map((approval) => (
        <PendingApproval
          key={approval.id}
          approval={approval}
          onAnswered={set}
          onGone={(why) => {
            setGone(why);
            reload();
          }}
        />
      ))}
    </>
  );
}
