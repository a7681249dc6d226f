import type { VNode } from "preact";
import type { ConfigView, Proposal } from "../../../contract.ts";
import { safeLine } from "../../../../text/safe-text.ts";
import { formatTime } from "../../format.ts";
import { useAction } from "../../hooks/use-action.ts";
import { useApp } from "../../hooks/app-context.ts";
import { Command } from "../../parts/command.tsx";
import { Diff } from "../../parts/diff.tsx";
import { Failure } from "../../parts/failure.tsx";

interface ProposalsProps {
  readonly proposals: readonly Proposal[];
  readonly onChanged: (view: ConfigView) => void;
}

/** Changes that wait for the confirmation in the terminal. */
export function Proposals({ proposals, onChanged }: ProposalsProps): VNode | null {
  const { api } = useApp();
  const { isBusy, problem, run } = useAction();
  if (proposals.length === 0) return null;
  const discard = (id: string): void =>
    run(async (signal) => onChanged(await api.change("/ui/api/config/discard", { id }, signal)));
  return (
    <section class="stack" aria-label="Waiting for the terminal">
      <h2>Waiting for the terminal</h2>
      <Failure problem={problem} />
      {proposals.map(({ id, command, confirm, diff, expiresAt }) => (
        <article key={id} class="card" aria-label={`Proposed change ${safeLine(id)}`}>
          <p>Run this command to confirm the change, until {formatTime(Date.parse(expiresAt))}:</p>
          <Command text={command} />
          <ul class="reasons">
            {confirm.map((what) => (
              <li key={what}>
                <code class="wrap">{safeLine(what)}</code>
              </li>
            ))}
          </ul>
          <details>
            <summary>Changes</summary>
            <Diff text={diff} label="Proposed changes to the file" />
          </details>
          <div>
            <button type="button" disabled={isBusy} onClick={() => discard(id)}>
              Discard
            </button>
          </div>
        </article>
      ))}
    </section>
  );
}
