import type { VNode } from "preact";
import { useState } from "preact/hooks";
import type { IssuedToken } from "../../../contract.ts";
import { useResource } from "../../hooks/use-resource.ts";
import { Empty } from "../../parts/empty.tsx";
import { Loaded } from "../../parts/loaded.tsx";
import { Page } from "../../parts/page.tsx";
import { NewTokenDialog } from "./new-token-dialog.tsx";
import { IssuedTokenDialog } from "./issued-token-dialog.tsx";
import { TokenTable } from "./token-table.tsx";

/** The access tokens of other people, agents and machines. */
export function TokensPage(): VNode {
  const tokens = useResource("/ui/api/tokens", {}, { topics: ["tokens"] });
  const [isCreating, setCreating] = useState(false);
  const [issued, setIssued] = useState<IssuedToken>();
  const onIssued = (answer: IssuedToken): void => {
    setCreating(false);
    setIssued(answer);
    tokens.set({ tokens: answer.tokens });
  };
  return (
    <Page
      title="Access tokens"
      actions={
        <button type="button" class="primary" onClick={() => setCreating(true)}>
          New token
        </button>
      }
    >
      <Loaded resource={tokens}>
        {(list) =>
          list.tokens.length === 0 ? (
            <Empty title="No access tokens">
              A token gives another person, agent or machine access over HTTP, limited to what it
              needs.
            </Empty>
          ) : (
            <TokenTable tokens={list.tokens} onChanged={tokens.set} onIssued={onIssued} />
          )
        }
      </Loaded>
      {isCreating && <NewTokenDialog onIssued={onIssued} onClose={() => setCreating(false)} />}
      {issued !== undefined && (
        <IssuedTokenDialog issued={issued} onClose={() => setIssued(undefined)} />
      )}
    </Page>
  );
}
