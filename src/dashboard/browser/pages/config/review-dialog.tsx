import type { VNode } from "preact";
import type { ConfigPlan, ConfigText, SavedConfig } from "../../../contract.ts";
import { safeLine } from "../../../../text/safe-text.ts";
import { useAction } from "../../hooks/use-action.ts";
import { useApp } from "../../hooks/app-context.ts";
import { Confirm } from "../../parts/confirm.tsx";
import { Diff } from "../../parts/diff.tsx";
import { Notice } from "../../parts/notice.tsx";

interface ReviewDialogProps {
  readonly plan: ConfigPlan;
  readonly text: ConfigText;
  readonly onDone: (saved: SavedConfig) => void;
  readonly onClose: () => void;
}

/** Shows what saving changes, and saves. */
export function ReviewDialog({ plan, text, onDone, onClose }: ReviewDialogProps): VNode {
  const { api, store } = useApp();
  const action = useAction();
  const needsTerminal = plan.confirm.length > 0;
  const save = (): void =>
    action.run(async (signal) => {
      const saved = await api.change("/ui/api/config/save", text, signal);
      store.announce(saved.proposal === null ? "Saved" : "Waiting for the terminal");
      onDone(saved);
    });
  return (
    <Confirm
      title="Review the changes"
      verb={needsTerminal ? "Propose the change" : "Save"}
      action={action}
      onConfirm={save}
      onClose={onClose}
    >
      <Diff text={plan.diff} label="Changes to the file" />
      {needsTerminal ? (
        <Notice tone="warn">
          <p>This starts or reaches something new, so you have to confirm it in the terminal:</p>
          <ul class="reasons">
            {plan.confirm.map((what) => (
              <li key={what}>
                <code>{safeLine(what)}</code>
              </li>
            ))}
          </ul>
        </Notice>
      ) : (
        <p class="muted">
          The file as it is now is kept as a backup, and the change can be undone.
        </p>
      )}
    </Confirm>
  );
}
