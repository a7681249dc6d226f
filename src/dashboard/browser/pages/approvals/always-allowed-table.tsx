import type { VNode } from "preact";
import type { AlwaysAllowed, ApprovalLists } from "../../../contract.ts";
import { safeLine } from "../../../../text/safe-text.ts";
import { useAction } from "../../hooks/use-action.ts";
import { useApp } from "../../hooks/app-context.ts";
import { Failure } from "../../parts/failure.tsx";
import { Table } from "../../parts/table.tsx";

interface AlwaysAllowedTableProps {
  readonly entries: readonly AlwaysAllowed[];
  readonly onChanged: (lists: ApprovalLists) => void;
}

/** What is allowed without asking, with a button to ask again. */
export function AlwaysAllowedTable({ entries, onChanged }: AlwaysAllowedTableProps): VNode {
  const { api, store } = useApp();
  const { isBusy, problem, run } = useAction();
  const withdraw = (id: string): void =>
    run(async (signal) => {
      onChanged(await api.change("/ui/api/approvals/withdraw", { id }, signal));
      store.announce("The approval is withdrawn");
    });
  return (
    <section class="stack" aria-label="Always allowed">
      <h2>Always allowed</h2>
      <Failure problem={problem} />
      <Table
        caption="Tools that are always allowed"
        rows={entries}
        keyOf={({ id }) => id}
        columns={[
          {
            title: "Tool",
            kind: "head",
            cell: ({ toolbox, server, tool }) => safeLine(`${toolbox}/${server}/${tool}`),
          },
          { title: "Client", cell: ({ client }) => safeLine(client) },
          {
            title: "Arguments",
            cell: ({ sameArgumentsOnly }) => (sameArgumentsOnly ? "only the approved ones" : "any"),
          },
          {
            title: "Actions",
            kind: "actions",
            cell: ({ id, tool }) => (
              <button type="button" disabled={isBusy} onClick={() => withdraw(id)}>
                Ask again<span class="unseen"> about {safeLine(tool)}</span>
              </button>
            ),
          },
        ]}
      />
    </section>
  );
}
