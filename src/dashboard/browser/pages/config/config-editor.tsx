import type { VNode } from "preact";
import { useRef, useState } from "preact/hooks";
import type { ConfigProblem, ConfigView, SavedConfig } from "../../../contract.ts";
import { safeText } from "../../../../text/safe-text.ts";
import { Failure } from "../../parts/failure.tsx";
import { Notice } from "../../parts/notice.tsx";
import { CodeInput } from "./code-input.tsx";
import { ProblemList } from "./problem-list.tsx";
import { ReviewDialog } from "./review-dialog.tsx";
import { offsetOf } from "./text-position.ts";
import { useConfigDraft } from "./use-config-draft.ts";

interface ConfigEditorProps {
  readonly view: ConfigView;
  readonly onSaved: (view: ConfigView) => void;
}

/** Edits the file: problems while typing, then the differences, then saving. */
export function ConfigEditor({ view, onSaved }: ConfigEditorProps): VNode {
  const draft = useConfigDraft(view);
  const [isReviewing, setReviewing] = useState(false);
  const [saved, setSaved] = useState<SavedConfig>();
  const input = useRef<HTMLTextAreaElement>(null);
  const { text, plan, isChanged } = draft;
  const problems = isChanged ? (plan?.problems ?? []) : view.problems;

  const show = ({ line, column }: ConfigProblem): void => {
    const offset = offsetOf(text, line ?? 1, column ?? 1);
    input.current?.focus();
    input.current?.setSelectionRange(offset, offset);
  };
  const onDone = (result: SavedConfig): void => {
    setReviewing(false);
    setSaved(result);
    onSaved(result.view);
    // What has to be confirmed first is not in the file yet.
    draft.reset(result.view);
  };
  return (
    <section class="stack" aria-label="File">
      <ProblemList problems={problems} onShow={show} />
      <Failure problem={draft.problem} />
      {draft.isOutdated && (
        <Notice tone="warn" isUrgent>
          The file has changed since you started to edit it.{" "}
          <button type="button" onClick={() => draft.reset(view)}>
            Discard my changes and load it
          </button>
        </Notice>
      )}
      {saved !== undefined && !isChanged && <SavedNotice saved={saved} />}
      <CodeInput value={text} problems={problems} onInput={draft.change} inputRef={input} />
      <div class="bar">
        <button
          type="button"
          class="primary"
          disabled={!isChanged || plan === undefined || hasErrors(problems)}
          onClick={() => setReviewing(true)}
        >
          Review changes
        </button>
        <button type="button" disabled={!isChanged} onClick={() => draft.reset(view)}>
          Discard changes
        </button>
        <span class="muted small">
          Secrets are shown as marks such as «secret 1»; keep a mark to keep its secret.
        </span>
      </div>
      {isReviewing && plan !== undefined && (
        <ReviewDialog
          plan={plan}
          text={{ text, version: draft.version }}
          onDone={onDone}
          onClose={() => setReviewing(false)}
        />
      )}
    </section>
  );
}

function hasErrors(problems: readonly ConfigProblem[]): boolean {
  return problems.some(({ severity }) => severity === "error");
}

function SavedNotice({ saved: { proposal, backup } }: { readonly saved: SavedConfig }): VNode {
  if (proposal !== null)
    return (
      <Notice tone="warn" isUrgent>
        Nothing was written yet: confirm the change in the terminal, with the command above.
      </Notice>
    );
  return (
    <Notice tone="good" isUrgent>
      Saved.
      {backup !== null && (
        <>
          {" "}
          The file as it was before: <code>{safeText(backup)}</code>
        </>
      )}
    </Notice>
  );
}
