import { useEffect } from "preact/hooks";

/** Whether keys are typed into this element. */
function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && target.matches("input, textarea, select, dialog *");
}

/** Lets the key `/` move the focus to the search of the page, or to the search for tools. */
export function useSearchKey(onWithoutSearch: () => void): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (event.key !== "/" || event.ctrlKey || event.metaKey || event.altKey) return;
      if (isTyping(event.target)) return;
      event.preventDefault();
      const box = document.querySelector<HTMLInputElement>("main input[type=search]");
      if (box === null) onWithoutSearch();
      else box.focus();
    };
    addEventListener("keydown", onKey);
    return () => removeEventListener("keydown", onKey);
  }, [onWithoutSearch]);
}
