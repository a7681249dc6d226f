import type { ComponentChildren, VNode } from "preact";
import type { Action } from "../hooks/use-action.ts";
import { Dialog } from "./dialog.tsx";
import { Failure } from "./failure.tsx";

interface ConfirmProps {
  readonly title: string;
  /** What happens, as the text of the button: `Revoke`. */
  readonly verb: string;
  readonly isDangerous?: boolean;
  readonly action: Action;
  readonly onConfirm: () => void;
  readonly onClose: () => void;
  readonly children?: ComponentChildren;
}

/** Asks before something that cannot be undone easily. */
export function Confirm(props: ConfirmProps): VNode {
  const { title, verb, isDangerous = false, action, onConfirm, onClose, children } = props;
  return (
    <Dialog title={title} onClose={onClose}>
      {children}
      <Failure problem={action.problem} />
      <div class="bar">
        <span class="spacer" />
        <button type="button" onClick={onClose}>
          Cancel
        </button>
        <button
          type="button"
          class={isDangerous ? "danger" : "primary"}
          disabled={action.isBusy}
          onClick={onConfirm}
        >
          {verb}
        </button>
      </div>
    </Dialog>
  );
}
