import type { VNode } from "preact";
import { useId } from "preact/hooks";

interface SelectProps<T extends string> {
  readonly label: string;
  readonly value: T;
  readonly choices: readonly (readonly [value: T, text: string])[];
  readonly onChange: (value: T) => void;
}

/** A choice between a few values, with its label in front. */
export function Select<T extends string>(props: SelectProps<T>): VNode {
  const { label, value, choices, onChange } = props;
  const id = useId();
  return (
    <span class="check">
      <label for={id} class="muted">
        {label}
      </label>
      <select
        id={id}
        value={value}
        onChange={({ currentTarget }) => onChange(currentTarget.value as T)}
      >
        {choices.map(([key, text]) => (
          <option key={key} value={key}>
            {text}
          </option>
        ))}
      </select>
    </span>
  );
}
