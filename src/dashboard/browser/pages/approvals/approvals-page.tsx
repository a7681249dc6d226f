import type { VNode } from "preact";
import { useState } from "preact/hooks";
import { useResource } from "../../hooks/use-resource.ts";
import type { ApiProblem } from "../../net/api-problem.ts";
import { Empty } from "../../parts/empty.tsx";
import { Failure } from "../../parts/failure.tsx";
import { Loaded } from "../../parts/loaded.tsx";
import { Page } from "../../parts/page.tsx";
import { AlwaysAllowedTable } from "./always-allowed-table.tsx";
import { PendingApproval } from "./pending-approval.tsx";

/** The calls that wait for an answer, and what is always allowed. */
export function ApprovalsPage(): VNode {
  const approvals = useResource("/ui/api/approvals", {}, { topics: ["approvals"] });
  const [gone, setGone] = useState<ApiProblem>();
  return (
    <Page title="Approvals">
      <Failure problem={gone} />
      <Loaded resource={approvals}>
        {({ pending, always }) => (
          <>
            <section class="stack" aria-label="Waiting">
              <h2>Waiting for your answer</h2>
              {pending.length === 0 && (
                <Empty title="Nothing to answer">
                  Calls appear here when a rule of the policy has the action <code>ask</code>.
                </Empty>
              )}
              {pending.map((approval) => (
                <PendingApproval
                  key={approval.id}
                  approval={approval}
                  onAnswered={(lists) => {
                    setGone(undefined);
                    approvals.set(lists);
                  }}
                  onGone={(why) => {
                    setGone(why);
                    approvals.reload();
                  }}
                />
              ))}
            </section>
            {always.length > 0 && <AlwaysAllowedTable entries={always} onChanged={approvals.set} />}
          </>
        )}
      </Loaded>
    </Page>
  );
}
