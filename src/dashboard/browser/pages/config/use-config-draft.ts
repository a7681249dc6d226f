import { useEffect, useRef, useState } from "preact/hooks";
import type { ConfigPlan, ConfigView } from "../../../contract.ts";
import { useApp } from "../../hooks/app-context.ts";
import { useDelayed } from "../../hooks/use-delayed.ts";
import { type ApiProblem, asProblem, isAborted } from "../../net/api-problem.ts";

export interface ConfigDraft {
  readonly text: string;
  /** Of the file that was edited. */
  readonly version: string;
  readonly isChanged: boolean;
  /** The file has changed since it was edited here. */
  readonly isOutdated: boolean;
  /** What saving would do; undefined before it was checked. */
  readonly plan: ConfigPlan | undefined;
  readonly problem: ApiProblem | undefined;
  change(text: string): void;
  /** Forgets the changes. */
  reset(view: ConfigView): void;
}

/** A text that is edited, checked by the workbench when the typing stops. */
export function useConfigDraft(view: ConfigView): ConfigDraft {
  const { api, unsaved } = useApp();
  const [base, setBase] = useState(unsaved.config?.base ?? view);
  const [text, setText] = useState(unsaved.config?.text ?? view.text);
  const [checked, setChecked] = useState<{ text: string; plan: ConfigPlan }>();
  const [problem, setProblem] = useState<ApiProblem>();
  const isChanged = text !== base.text;
  const settled = useDelayed(text);
  /** What the user sees; a render may be later than a key. */
  const typed = useRef(text);
  unsaved.config = isChanged ? { base, text } : undefined;
  useEffect(() => {
    if (!isChanged) return undefined;
    const ask = (event: Event): void => event.preventDefault();
    addEventListener("beforeunload", ask);
    return () => removeEventListener("beforeunload", ask);
  }, [isChanged]);

  const change = (next: string): void => {
    typed.current = next;
    setText(next);
  };
  const reset = (next: ConfigView): void => {
    setBase(next);
    change(next.text);
    setProblem(undefined);
  };
  useEffect(() => {
    // A new version of a file that is not being edited replaces the old one.
    if (view.version !== base.version && typed.current === base.text) reset(view);
  }, [view]);
  useEffect(() => {
    if (settled === base.text) return undefined;
    const abort = new AbortController();
    const { version } = base;
    api.change("/ui/api/config/check", { text: settled, version }, abort.signal).then(
      (plan) => {
        setChecked({ text: settled, plan });
        setProblem(undefined);
      },
      (error: unknown) => {
        if (!isAborted(error)) setProblem(asProblem(error));
      },
    );
    return () => abort.abort();
  }, [api, settled, base]);

  return {
    text,
    version: base.version,
    isChanged,
    isOutdated: isChanged && view.version !== base.version,
    plan: checked?.text === text ? checked.plan : undefined,
    problem,
    change,
    reset,
  };
}
