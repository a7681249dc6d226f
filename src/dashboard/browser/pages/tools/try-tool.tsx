import type { VNode } from "preact";
import { useMemo, useState } from "preact/hooks";
import type { ToolCallAnswer, ToolDetail } from "../../../contract.ts";
import { initialDraft } from "../../form/drafts.ts";
import type { Draft, FieldProblem } from "../../form/field.ts";
import { type Arguments, readArguments } from "../../form/read-arguments.ts";
import { fieldsOf } from "../../form/schema-fields.ts";
import { useAction } from "../../hooks/use-action.ts";
import { useApp } from "../../hooks/app-context.ts";
import { Confirm } from "../../parts/confirm.tsx";
import { Failure } from "../../parts/failure.tsx";
import { ArgumentsForm } from "./arguments-form.tsx";
import { CallResult } from "./call-result.tsx";
import { PolicyNotice } from "./policy-notice.tsx";
import { WaitingCall } from "./waiting-call.tsx";

/** The arguments of a call, and as JSON what is sent. */
type Given = { readonly value: NonNullable<Arguments["value"]>; readonly text: string };

/** A text that no other call has, also where the page is not on a secure address. */
function newCallId(): string {
  return Array.from(crypto.getRandomValues(new Uint32Array(4)), (part) => part.toString(36)).join(
    "-",
  );
}

/** A form for the arguments of a tool, a button to call it, and the result. */
export function TryTool({ tool }: { readonly tool: ToolDetail }): VNode {
  const { api, store } = useApp();
  const field = useMemo(() => fieldsOf(tool.inputSchema), [tool.inputSchema]);
  const [draft, setDraft] = useState<Draft>(() => initialDraft(field));
  /** The arguments as JSON; undefined while the form is used. */
  const [json, setJson] = useState<string>();
  const [problems, setProblems] = useState<readonly FieldProblem[]>([]);
  const [answer, setAnswer] = useState<ToolCallAnswer>();
  const [toConfirm, setToConfirm] = useState<Given>();
  const [isCancelled, setCancelled] = useState(false);
  const [callId, setCallId] = useState("");
  const action = useAction();

  const call = ({ value, text }: Given): void => {
    setToConfirm(undefined);
    setAnswer(undefined);
    setCancelled(false);
    const id = newCallId();
    setCallId(id);
    action.run(async (signal) => {
      const { toolbox, server, name } = tool;
      const request = { toolbox, server, name, call: id, arguments: value };
      const place = JSON.stringify({ toolbox, server, name, call: id });
      const body = `${place.slice(0, -1)},"arguments":${text}}`;
      const result = await api.change("/ui/api/tool/call", request, signal, body);
      setAnswer(result);
      store.announce(result.outcome === "ok" ? "The call returned a result" : "The call failed");
    });
  };
  const submit = (): void => {
    const { value, text, problems: found } = readArguments(field, draft, json);
    setProblems(found);
    if (value === undefined) return;
    if (tool.class === "destructive") setToConfirm({ value, text });
    else call({ value, text });
  };
  const cancel = (): void => {
    action.cancel();
    setCancelled(true);
    store.announce("Cancelled");
  };

  return (
    <div class="stack">
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
          label="Arguments"
          ifEmpty="This tool takes no arguments."
          onDraft={setDraft}
          onJson={setJson}
          onProblems={setProblems}
        />
        <div class="bar">
          <button type="submit" class="primary" disabled={action.isBusy}>
            {action.isBusy ? "Calling …" : "Call the tool"}
          </button>
          {action.isBusy && (
            <button type="button" onClick={cancel}>
              Cancel
            </button>
          )}
        </div>
      </form>
      {action.isBusy && <WaitingCall call={callId} tool={tool} />}
      <Failure problem={action.problem} />
      {isCancelled && <p class="muted">Cancelled. The server may have done part of its work.</p>}
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
    </div>
  );
}
