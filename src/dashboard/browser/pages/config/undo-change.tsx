import type { VNode } from "preact";
import { useState } from "preact/hooks";
import type { ConfigView, UndoableChange } from "../../../contract.ts";
import { safeLine } from "../../../../text/safe-text.ts";
import { useAction } from "../../hooks/use-action.ts";
import { useApp } from "../../hooks/app-context.ts";
import { Confirm } from "../../parts/confirm.tsx";
import { Diff } from "../../parts/diff.tsx";

interface UndoChangeProps {
  readonly change: UndoableChange;
  readonly onUndone: (view: ConfigView) => void;
}

/** A button that undoes the last change, after showing what that does. */
export function UndoChange({ change, onUndone }: UndoChangeProps): VNode {
  const { api, store } = useApp();
  const action = useAction();
  const [isAsking, setAsking] = useState(false);
  const undo = (): void =>
    action.run(async (signal) => {
      onUndone(await api.change("/ui/api/config/undo", { at: change.at }, signal));
      setAsking(false);
      store.announce("Undone");
    });
  return (
    <>
      <button type="button" onClick={() => setAsking(true)}>
        Undo {safeLine(change.what)}
      </button>
      {isAsking && (
        <Confirm
          title={`Undo ${safeLine(change.what)}?`}
          verb="Undo"
          action={action}
          onConfirm={undo}
          onClose={() => {
            action.clear();
            setAsking(false);
          }}
        >
          <Diff text={change.diff} label="What undoing changes" />
        </Confirm>
      )}
    </>
  );
}
