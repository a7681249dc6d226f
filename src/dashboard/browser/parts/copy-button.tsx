import type { VNode } from "preact";
import { useState } from "preact/hooks";
import { useApp } from "../hooks/app-context.ts";

/** Copies a text. Where the browser does not allow that, the text can still be selected. */
export function CopyButton({
  text,
  what,
}: {
  readonly text: string;
  readonly what: string;
}): VNode {
  const { store } = useApp();
  const [label, setLabel] = useState("Copy");
  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(text);
      setLabel("Copied");
      store.announce(`Copied the ${what}`);
    } catch {
      setLabel("Select the text to copy it");
    }
  };
  return (
    <button type="button" onClick={() => void copy()}>
      {label}
      <span class="unseen"> the {what}</span>
    </button>
  );
}
