import type { VNode } from "preact";
import { useState } from "preact/hooks";
import type { AccessToken, IssuedToken, TokenList } from "../../../contract.ts";
import { safeLine } from "../../../../text/safe-text.ts";
import { formatDate } from "../../format.ts";
import { useAction } from "../../hooks/use-action.ts";
import { useApp } from "../../hooks/app-context.ts";
import { Badge } from "../../parts/badge.tsx";
import { Confirm } from "../../parts/confirm.tsx";
import { Table } from "../../parts/table.tsx";

interface TokenTableProps {
  readonly tokens: readonly AccessToken[];
  readonly onChanged: (list: TokenList) => void;
  readonly onIssued: (issued: IssuedToken) => void;
}

interface Change {
  readonly verb: "Revoke" | "Replace";
  readonly name: string;
}

function reachOf({ toolboxes, servers }: AccessToken): string {
  if (toolboxes === null && servers === null) return "everything";
  return [...(toolboxes ?? []), ...(servers ?? [])].join(", ");
}

const dateOf = (date: string | null, otherwise: string): string =>
  date === null ? otherwise : formatDate(Date.parse(date));

export function TokenTable({ tokens, onChanged, onIssued }: TokenTableProps): VNode {
  const { api, store } = useApp();
  const action = useAction();
  const [change, setChange] = useState<Change>();
  const apply = ({ verb, name }: Change): void =>
    action.run(async (signal) => {
      if (verb === "Revoke") onChanged(await api.change("/ui/api/tokens/revoke", { name }, signal));
      else onIssued(await api.change("/ui/api/tokens/rotate", { name }, signal));
      setChange(undefined);
      store.announce(`${verb === "Revoke" ? "Revoked" : "Replaced"} ${safeLine(name)}`);
    });
  return (
    <>
      <Table
        caption="Access tokens"
        rows={tokens}
        keyOf={({ id }) => id}
        columns={[
          { title: "Name", kind: "head", cell: ({ name }) => safeLine(name) },
          { title: "May use", cell: (token) => safeLine(reachOf(token)) },
          { title: "Access", cell: ({ readOnly }) => (readOnly ? "reads only" : "all tools") },
          { title: "Created", cell: ({ createdAt }) => dateOf(createdAt, "") },
          { title: "Last used", cell: ({ lastUsedAt }) => dateOf(lastUsedAt, "never") },
          {
            title: "Expires",
            cell: ({ expiresAt, expired }) =>
              expired ? <Badge tone="bad" text="Expired" /> : dateOf(expiresAt, "never"),
          },
          {
            title: "Actions",
            kind: "actions",
            cell: ({ name }) => (
              <span class="bar">
                {(["Replace", "Revoke"] as const).map((verb) => (
                  <button
                    key={verb}
                    type="button"
                    class={verb === "Revoke" ? "danger" : ""}
                    onClick={() => setChange({ verb, name })}
                  >
                    {verb}
                    <span class="unseen"> {safeLine(name)}</span>
                  </button>
                ))}
              </span>
            ),
          },
        ]}
      />
      {change !== undefined && (
        <Confirm
          title={`${change.verb} ${safeLine(change.name)}?`}
          verb={change.verb}
          isDangerous
          action={action}
          onConfirm={() => apply(change)}
          onClose={() => {
            action.clear();
            setChange(undefined);
          }}
        >
          <p>
            {change.verb === "Replace"
              ? "You get a new token with the same access. The old one stops working, and its sessions and calls end at once."
              : "The token stops working, and its sessions and calls end at once. This cannot be undone."}
          </p>
        </Confirm>
      )}
    </>
  );
}
