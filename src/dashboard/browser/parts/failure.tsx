import type { VNode } from "preact";
import { safeText } from "../../../text/safe-text.ts";
import type { ApiProblem } from "../net/api-problem.ts";
import { Notice } from "./notice.tsx";

interface FailureProps {
  readonly problem: ApiProblem | undefined;
  readonly onRetry?: () => void;
}

/** Why something did not work, and what to do about it. */
export function Failure({ problem, onRetry }: FailureProps): VNode | null {
  if (problem === undefined) return null;
  return (
    <Notice tone="bad" isUrgent>
      <div class="stack tight">
        <p>{safeText(problem.message)}</p>
        {problem.hint !== "" && <p class="muted">{safeText(problem.hint)}</p>}
        {onRetry !== undefined && (
          <p>
            <button type="button" onClick={onRetry}>
              Try again
            </button>
          </p>
        )}
      </div>
    </Notice>
  );
}
