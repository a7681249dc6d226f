import type { VNode } from "preact";
import { useId } from "preact/hooks";

interface SearchBoxProps {
  readonly label: string;
  readonly value: string;
  readonly onInput: (value: string) => void;
}

/** The key `/` moves the focus to it; see `use-search-key.ts`. */
export function SearchBox({ label, value, onInput }: SearchBoxProps): VNode {
  const id = useId();
  return (
    <span class="search-box">
      <label class="unseen" for={id}>
        {label}
      </label>
      <input
        id={id}
        type="search"
        class="search"
        placeholder={`${label} ( / )`}
        value={value}
        autocomplete="off"
        spellcheck={false}
        onInput={({ currentTarget }) => onInput(currentTarget.value)}
      />
    </span>
  );
}
