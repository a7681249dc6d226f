import type { VNode } from "preact";
import { useMemo, useState } from "preact/hooks";
import type { QuestionAnswer, QuestionList, ToolQuestion } from "../../../contract.ts";
import { safeLine, safeText } from "../../../../text/safe-text.ts";
import { initialDraft } from "../../form/drafts.ts";
import type { Draft, FieldProblem } from "../../form/field.ts";
import { readArguments } from "../../form/read-arguments.ts";
import { fieldsOf } from "../../form/schema-fields.ts";
import { useAction } from "../../hooks/use-action.ts";
import { useApp } from "../../hooks/app-context.ts";
import { asProblem } from "../../net/api-problem.ts";
import { Failure } from "../../parts/failure.tsx";
import { WebLinkNotice } from "../../parts/web-link.tsx";
import { ArgumentsForm } from "./arguments-form.tsx";

interface ServerQuestionProps {
  readonly call: string;
  readonly question: ToolQuestion;
  readonly onAnswered: (left: QuestionList) => void;
  /** The server no longer waits for an answer. */
  readonly onGone: () => void;
}

/** A question of a server: a form, or an address to open; and how to refuse it. */
export function ServerQuestion(props: ServerQuestionProps): VNode {
  const { call, question, onAnswered, onGone } = props;
  const { api, store } = useApp();
  const { isBusy, problem, run } = useAction();
  const { id, toolbox, server, message, schema, link } = question;
  const field = useMemo(() => fieldsOf(schema), [id]);
  const [draft, setDraft] = useState<Draft>(() => initialDraft(field));
  const [json, setJson] = useState<string>();
  const [problems, setProblems] = useState<readonly FieldProblem[]>([]);
  const name = safeLine(`${toolbox}/${server}`);

  const answer = (action: QuestionAnswer["action"], content?: string): void =>
    run(async (signal) => {
      const body = { call, id, action };
      const written = JSON.stringify(body);
      const text =
        content === undefined ? written : `${written.slice(0, -1)},"content":${content}}`;
      try {
        onAnswered(await api.change("/ui/api/questions/answer", body, signal, text));
        store.announce(action === "accept" ? "Answered" : "Not answered");
      } catch (error) {
        if (asProblem(error).status !== 409) throw error;
        store.announce("The server no longer waits for this answer");
        onGone();
      }
    });
  const submit = (): void => {
    const { value, text, problems: found } = readArguments(field, draft, json);
    setProblems(found);
    if (value !== undefined) answer("accept", text);
  };

  return (
    <form
      class="card"
      noValidate
      aria-label={`Question of ${name}`}
      onSubmit={(event) => {
        event.preventDefault();
        if (link === null) submit();
      }}
    >
      <h3 class="wrap">{name} asks you</h3>
      <p class="wrap description">{safeText(message)}</p>
      {link === null ? (
        <ArgumentsForm
          field={field}
          draft={draft}
          json={json}
          problems={problems}
          label="Answer"
          ifEmpty="There is nothing to enter."
          onDraft={setDraft}
          onJson={setJson}
          onProblems={setProblems}
        />
      ) : (
        <WebLinkNotice link={link} onOpened={() => answer("accept")} />
      )}
      <p class="muted small">
        {link === null
          ? "Your answer is sent to this server. It should never ask for passwords."
          : "Open it only if you expect this from the server."}
      </p>
      <div class="bar">
        {link === null && (
          <button type="submit" class="primary" disabled={isBusy}>
            Send the answer
          </button>
        )}
        <button type="button" disabled={isBusy} onClick={() => answer("decline")}>
          Decline
        </button>
        <button type="button" class="plain" disabled={isBusy} onClick={() => answer("cancel")}>
          Dismiss
        </button>
      </div>
      <Failure problem={problem} />
    </form>
  );
}
