import type { VNode } from "preact";
import type { ConfigProblem } from "../../../contract.ts";
import { safeText } from "../../../../text/safe-text.ts";
import { counted } from "../../format.ts";
import { Notice } from "../../parts/notice.tsx";

interface ProblemListProps {
  readonly problems: readonly ConfigProblem[];
  readonly onShow: (problem: ConfigProblem) => void;
}

/** What is wrong with the text; a button goes to the place. */
export function ProblemList({ problems, onShow }: ProblemListProps): VNode | null {
  if (problems.length === 0) return null;
  const hasError = problems.some(({ severity }) => severity === "error");
  return (
    <Notice tone={hasError ? "bad" : "warn"} isUrgent>
      <p>{counted(problems.length, "problem")}</p>
      <ul class="reasons">
        {problems.map((problem, i) => (
          <li key={i}>
            {problem.line !== null && (
              <button type="button" class="plain" onClick={() => onShow(problem)}>
                Line {problem.line}
                {problem.column !== null && `, column ${problem.column}`}
              </button>
            )}{" "}
            {problem.severity === "warning" && "Warning: "}
            {safeText(problem.message)}
          </li>
        ))}
      </ul>
    </Notice>
  );
}
