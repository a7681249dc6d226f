import type { VNode } from "preact";
import { useId } from "preact/hooks";
import { safeLine, safeText } from "../../../../text/safe-text.ts";
import type { Field } from "../../form/field.ts";
import { hintOf } from "../../form/hints.ts";
import { type FieldInputProps, labelOf } from "./field-props.ts";

/** A field with a single input: its label, description, input and problem. */
export function ScalarInput({ field, draft, path, problems, onChange }: FieldInputProps): VNode {
  const id = useId();
  const message = problems.find((problem) => problem.path === path)?.message;
  const hint = hintOf(field);
  return (
    <div class="field">
      <label for={id}>
        {safeLine(labelOf(field)) || "Arguments"}
        <span class="muted small">
          {" "}
          {field.isRequired ? "required" : "optional"}
          {hint !== "" && `, ${safeLine(hint)}`}
        </span>
      </label>
      {field.description !== "" && (
        <span id={`${id}-about`} class="muted small wrap">
          {safeText(field.description)}
        </span>
      )}
      <Control
        field={field}
        value={typeof draft === "string" ? draft : ""}
        onInput={onChange}
        attributes={{
          id,
          "aria-required": field.isRequired,
          "aria-invalid": message !== undefined,
          "aria-describedby": `${id}-about ${id}-problem`,
        }}
      />
      {typeof draft === "string" && safeText(draft) !== draft && (
        <span class="small warn-text wrap">It contains hidden characters: {safeText(draft)}</span>
      )}
      <span id={`${id}-problem`} class="problem" role="alert">
        {message}
      </span>
    </div>
  );
}

interface ControlProps {
  readonly field: Field;
  readonly value: string;
  readonly onInput: (value: string) => void;
  readonly attributes: Readonly<Record<string, string | boolean>>;
}

function Control({ field, value, onInput, attributes }: ControlProps): VNode {
  if (field.kind === "boolean" || field.kind === "choice")
    return (
      <select
        {...attributes}
        value={value}
        onChange={({ currentTarget }) => onInput(currentTarget.value)}
      >
        <option value="">{field.isRequired && !field.isNullable ? "Choose …" : "Not set"}</option>
        {choicesOf(field).map(([key, text]) => (
          <option key={key} value={key}>
            {safeLine(text)}
          </option>
        ))}
      </select>
    );
  const common = {
    ...attributes,
    value,
    spellcheck: false,
    autocomplete: "off",
    onInput: ({ currentTarget }: { currentTarget: HTMLInputElement | HTMLTextAreaElement }) =>
      onInput(currentTarget.value),
  };
  if (field.kind === "number") return <input {...common} inputMode="decimal" />;
  return <textarea {...common} rows={field.kind === "json" ? 4 : 1} />;
}

function choicesOf(field: Field): readonly (readonly [value: string, text: string])[] {
  if (field.kind !== "choice")
    return [
      ["true", "true"],
      ["false", "false"],
    ];
  return field.names.map((name, i) => [String(i), name]);
}
