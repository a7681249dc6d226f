import type { VNode } from "preact";
import { useId } from "preact/hooks";
import type { Draft, Field, FieldProblem } from "../../form/field.ts";
import { draftFromJson } from "../../form/read-arguments.ts";
import { readDraft } from "../../form/read-draft.ts";
import { FieldInput } from "./field-input.tsx";

interface ArgumentsFormProps {
  readonly field: Field;
  readonly draft: Draft;
  readonly json: string | undefined;
  readonly problems: readonly FieldProblem[];
  readonly onDraft: (draft: Draft) => void;
  readonly onJson: (json: string | undefined) => void;
  readonly onProblems: (problems: readonly FieldProblem[]) => void;
  /** What is entered, as a word. */
  readonly label: string;
  /** Shown if there is nothing to enter. */
  readonly ifEmpty: string;
}

/** Arguments, or an answer, as fields or as JSON, whichever the user prefers. */
export function ArgumentsForm(props: ArgumentsFormProps): VNode {
  const { field, draft, json, problems, onDraft, onJson, onProblems, label, ifEmpty } = props;
  const isEmpty = field.kind === "group" && field.fields.length === 0;
  const toggle = (): void => {
    if (json === undefined)
      onJson(JSON.stringify(readDraft(field, draft).value ?? {}, undefined, 2));
    else {
      const { draft: next, problems: found } = draftFromJson(field, json);
      onProblems(found);
      if (next === undefined) return;
      onDraft(next);
      onJson(undefined);
    }
  };
  return (
    <div class="stack">
      {json !== undefined && (
        <JsonArguments label={label} json={json} problems={problems} onJson={onJson} />
      )}
      {json === undefined && isEmpty && <p class="muted">{ifEmpty}</p>}
      {json === undefined && !isEmpty && (
        <FieldInput field={field} draft={draft} path="" problems={problems} onChange={onDraft} />
      )}
      {(field.kind !== "json" || json !== undefined) && (
        <div>
          <button type="button" class="plain" onClick={toggle}>
            {json === undefined ? "Edit as JSON" : "Use the form"}
          </button>
        </div>
      )}
    </div>
  );
}

type JsonArgumentsProps = Pick<ArgumentsFormProps, "problems" | "onJson" | "label"> & {
  readonly json: string;
};

function JsonArguments({ label, json, problems, onJson }: JsonArgumentsProps): VNode {
  const id = useId();
  const message = problems[0]?.message;
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <textarea
        id={id}
        rows={8}
        spellcheck={false}
        value={json}
        aria-invalid={message !== undefined}
        aria-describedby={`${id}-problem`}
        onInput={({ currentTarget }) => onJson(currentTarget.value)}
      />
      <span id={`${id}-problem`} class="problem" role="alert">
        {message}
      </span>
    </div>
  );
}
