import type { VNode } from "preact";
import type { Approval, ApprovalAnswer, ApprovalLists } from "../../../contract.ts";
import { safeLine, safeText } from "../../../../text/safe-text.ts";
import { formatTime } from "../../format.ts";
import { useAction } from "../../hooks/use-action.ts";
import { useApp } from "../../hooks/app-context.ts";
import { ApiProblem, asProblem } from "../../net/api-problem.ts";
import { Facts } from "../../parts/facts.tsx";
import { Failure } from "../../parts/failure.tsx";
import { Output } from "../../parts/output.tsx";

interface PendingApprovalProps {
  readonly approval: Approval;
  readonly onAnswered: (lists: ApprovalLists) => void;
  /** It was answered elsewhere, or is too old: it is about to disappear from the list. */
  readonly onGone: (why: ApiProblem) => void;
}

const ANSWERS: readonly (readonly [ApprovalAnswer["decision"], string, string])[] = [
  ["once", "Allow once", "primary"],
  ["session", "Allow in this session", ""],
  ["always", "Always allow", ""],
  ["deny", "Deny", "danger"],
];

/** A call that waits, with everything needed to decide. */
export function PendingApproval(props: PendingApprovalProps): VNode {
  const { approval, onAnswered, onGone } = props;
  const { api, store } = useApp();
  const { isBusy, problem, run } = useAction();
  const { id, toolbox, server, tool, client, reason } = approval;
  const name = safeLine(`${toolbox}/${server}/${tool}`);
  const answer = (decision: ApprovalAnswer["decision"], said: string): void =>
    run(async (signal) => {
      try {
        onAnswered(await api.change("/ui/api/approvals/answer", { id, decision }, signal));
        store.announce(`${said}: ${name}`);
      } catch (error) {
        const { status, code, message } = asProblem(error);
        if (![404, 409].includes(status)) throw error;
        onGone(new ApiProblem(status, code, `Your answer for ${name} has no effect.`, message));
      }
    });
  return (
    <article class="card" aria-label={`Approval of ${name}`}>
      <h3 class="wrap">{name}</h3>
      <Facts
        facts={[
          ["Client", safeLine(client)],
          ["Why it is asked", reason !== "" && safeText(reason)],
          ["Asked", formatTime(Date.parse(approval.createdAt))],
          ["Can be answered until", formatTime(Date.parse(approval.expiresAt))],
          ["Id", <code>{safeLine(id)}</code>],
        ]}
      />
      {approval.arguments.length > 0 && (
        <Output text={approval.arguments.join("\n")} label={`Arguments for ${name}`} />
      )}
      <div class="bar">
        {ANSWERS.map(([decision, text, style]) => (
          <button
            key={decision}
            type="button"
            class={style}
            disabled={isBusy}
            onClick={() => answer(decision, text)}
          >
            {text}
          </button>
        ))}
      </div>
      <Failure problem={problem} />
    </article>
  );
}
