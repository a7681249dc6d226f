import type { Ref, VNode } from "preact";
import type { ConfigProblem } from "../../../contract.ts";
import { lineCount } from "./text-position.ts";

interface CodeInputProps {
  readonly value: string;
  readonly problems: readonly ConfigProblem[];
  readonly onInput: (value: string) => void;
  readonly inputRef: Ref<HTMLTextAreaElement>;
}

/** A text with line numbers; lines with problems are marked. */
export function CodeInput({ value, problems, onInput, inputRef }: CodeInputProps): VNode {
  const lines = lineCount(value);
  const severities = new Map(problems.map(({ line, severity }) => [line, severity]));
  return (
    <div class="code">
      <div class="numbers" aria-hidden="true">
        {Array.from({ length: lines }, (_, i) => (
          <span key={i} class={severities.get(i + 1) ?? ""}>
            {i + 1}
          </span>
        ))}
      </div>
      <textarea
        ref={inputRef}
        aria-label="Text of the configuration"
        aria-invalid={problems.some(({ severity }) => severity === "error")}
        rows={lines + 1}
        wrap="off"
        spellcheck={false}
        autocomplete="off"
        value={value}
        onInput={({ currentTarget }) => onInput(currentTarget.value)}
      />
    </div>
  );
}
