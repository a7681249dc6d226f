import type { VNode } from "preact";
import { useMemo, useState } from "preact/hooks";
import type { ToolCallAnswer, ToolDetail } from "../../../contract.ts";
import { initialDraft } from "../../form/drafts.ts";
import type { Draft, FieldProblem } from "../../form/field.ts";
import { readArguments } from "../../form/read-arguments.ts";
import { fieldsOf } from "../../form/schema-fields.ts";
import { useAction } from "../../hooks/use-action.ts";
import { useApp } from "../../hooks/app-context.ts";
import { Confirm } from "../../parts/confirm.tsx";
import { Failure } from "../../parts/failure.tsx";
import { ArgumentsForm } from "./arguments-form.tsx";
import { CallResult } from "./call-result.tsx";
import { PolicyNotice } from "./policy-notice.tsx";
import { WaitingApprovals } from "./waiting-approvals.tsx";

/** A form for the arguments of a tool, a button to call it, and the result. */
export function TryTool({ tool }: { readonly tool: ToolDetail }): VNode {
  const { api, store } = useApp();
  const field = useMemo(() => fieldsOf(tool.inputSchema), [tool.inputSchema]);
  const [draft, setDraft] = useState<Draft>(() => initialDraft(field));
  /** The arguments as JSON; undefined while the form is used. */
  const [json, setJson] = useState<string>();
  const [problems, setProblems] = useState<readonly FieldProblem[]>([]);
  const [answer, setAnswer] = useState<ToolCallAnswer>();
  const [toConfirm, setToConfirm] = useState<Readonly<Record<string, unknown>>>();
  const action = useAction();

  const call = (given: Readonly<Record<string, unknown>>): void => {
    setToConfirm(undefined);
    setAnswer(undefined);
    action.run(async (signal) => {
      const { toolbox, server, name } = tool;
      const request = { toolbox, server, name, arguments: given };
      const result = await api.change("/ui/api/tool/call", request, signal);
      setAnswer(result);
      store.announce(result.outcome === "ok" ? "The call returned a result" : "The call failed");
    });
  };
  const submit = (): void => {
    const { value, problems: found } = readArguments(field, draft, json);
    setProblems(found);
    if (value === undefined) return;
    if (tool.class === "destructive") setToConfirm(value);
    else call(value);
  };

  return (
    <form
      class="stack"
      noValidate
      aria-label="Try the tool"
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
    >
      <h3>Try it</h3>
      <PolicyNotice policy={tool.policy} />
      <ArgumentsForm
        field={field}
        draft={draft}
        json={json}
        problems={problems}
        onDraft={setDraft}
        onJson={setJson}
      />
      <div class="bar">
        <button type="submit" class="primary" disabled={action.isBusy}>
          {action.isBusy ? "Calling …" : "Call the tool"}
        </button>
        {action.isBusy && (
          <button type="button" onClick={action.cancel}>
            Cancel
          </button>
        )}
      </div>
      {action.isBusy && tool.policy !== "allow" && <WaitingApprovals {...tool} />}
      <Failure problem={action.problem} />
      {answer !== undefined && <CallResult answer={answer} />}
      {toConfirm !== undefined && (
        <Confirm
          title="Call this tool?"
          verb="Call the tool"
          isDangerous
          action={action}
          onConfirm={() => call(toConfirm)}
          onClose={() => setToConfirm(undefined)}
        >
          <p>It may delete or overwrite something, and this cannot be undone here.</p>
        </Confirm>
      )}
    </form>
  );
}
