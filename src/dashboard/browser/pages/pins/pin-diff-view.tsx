import type { VNode } from "preact";
import { useState } from "preact/hooks";
import type { PinDiff, ServerName } from "../../../contract.ts";
import { safeLine } from "../../../../text/safe-text.ts";
import { useAction } from "../../hooks/use-action.ts";
import { useApp } from "../../hooks/app-context.ts";
import { type Resource, useResource } from "../../hooks/use-resource.ts";
import { asProblem } from "../../net/api-problem.ts";
import { Confirm } from "../../parts/confirm.tsx";
import { Empty } from "../../parts/empty.tsx";
import { Loaded } from "../../parts/loaded.tsx";
import { Page } from "../../parts/page.tsx";
import { linkTo } from "../../route.ts";
import { DifferenceList, titleForAll } from "./difference-list.tsx";
import { Findings } from "./findings.tsx";

/** What a server defines now, compared with what was approved. */
export function PinDiffView({ toolbox, server }: ServerName): VNode {
  const diff = useResource("/ui/api/pins/diff", { toolbox, server });
  return (
    <Page
      title={safeLine(`Definitions of ${toolbox}/${server}`)}
      actions={<a href={linkTo("definitions")}>All servers</a>}
    >
      {diff.isLoading && <p class="muted">Connecting to the server and comparing …</p>}
      <Loaded resource={diff}>{(data) => <Differences diff={data} resource={diff} />}</Loaded>
    </Page>
  );
}

interface DifferencesProps {
  readonly diff: PinDiff;
  readonly resource: Resource<PinDiff>;
}

function Differences({ diff, resource }: DifferencesProps): VNode {
  const { api, store } = useApp();
  const action = useAction();
  /** What is about to be approved: a name, or an empty text for everything. */
  const [toTrust, setToTrust] = useState<string>();
  const trust = (name: string): void =>
    action.run(async (signal) => {
      const { toolbox, server, digest } = diff;
      const request = { toolbox, server, digest, ...(name !== "" && { name }) };
      try {
        resource.set(await api.change("/ui/api/pins/trust", request, signal));
        setToTrust(undefined);
        store.announce("Approved");
      } catch (error) {
        if (asProblem(error).status === 409) resource.reload();
        throw error;
      }
    });
  const count = diff.differences.length;
  if (count === 0)
    return (
      <>
        <Findings findings={diff.findings} />
        <Empty title="Everything is as approved">The server defines nothing else.</Empty>
      </>
    );
  return (
    <>
      <Findings findings={diff.findings} />
      <div>
        <button type="button" class="primary" onClick={() => setToTrust("")}>
          Approve everything
        </button>
      </div>
      <DifferenceList differences={diff.differences} onTrust={setToTrust} />
      {toTrust !== undefined && (
        <Confirm
          title={toTrust === "" ? titleForAll(count) : `Approve ${safeLine(toTrust)}?`}
          verb="Approve"
          action={action}
          onConfirm={() => trust(toTrust)}
          onClose={() => {
            action.clear();
            setToTrust(undefined);
          }}
        >
          <p>Agents will see these definitions and believe what they say.</p>
        </Confirm>
      )}
    </>
  );
}
