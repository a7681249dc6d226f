import type { VNode } from "preact";
import { useEffect } from "preact/hooks";
import type { ServerName } from "../../../contract.ts";
import { safeLine } from "../../../../text/safe-text.ts";
import { useApp } from "../../hooks/app-context.ts";
import { useResource } from "../../hooks/use-resource.ts";
import { ServerQuestion } from "./server-question.tsx";

interface ServerQuestionsProps extends ServerName {
  readonly call: string;
}

/** What the server asks while it works on a call of this page. */
export function ServerQuestions({ call, toolbox, server }: ServerQuestionsProps): VNode {
  const { store } = useApp();
  const { data, set, reload } = useResource(
    "/ui/api/questions",
    { call },
    { topics: ["questions"] },
  );
  const questions = data?.questions ?? [];
  const name = safeLine(`${toolbox}/${server}`);
  useEffect(() => {
    if (questions.length > 0) store.announce(`${name} asks you something`);
  }, [store, name, questions.length]);
  return (
    <>
      {questions.map((question) => (
        <ServerQuestion
          key={question.id}
          call={call}
          question={question}
          onAnswered={set}
          onGone={reload}
        />
      ))}
    </>
  );
}
