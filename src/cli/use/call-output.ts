import { EXIT, type WorkbenchError, workbenchError } from "../../errors.ts";
import { ServerRpcError } from "../../servers/requests/ask.ts";
import type { ToolIdentifier } from "../../calls/identifier.ts";
import type { JsonObject } from "../../wire/messages.ts";
import type { Context } from "../core/command.ts";
import type { Output } from "../output/output.ts";
import type { Progress } from "../output/progress.ts";
import { safeLine, safeText } from "../../text/safe-text.ts";
import { ELICITATION, answerElicitation } from "./elicitation.ts";
import type { ClientHandlers } from "../../embed/local-client.ts";
import { renderResult } from "./render-content.ts";

/** Shows the result of a call and returns the exit code. */
export async function showResult(
  text: string,
  result: JsonObject,
  tool: string,
  { out, folder }: { readonly out: Output; readonly folder: string | undefined },
): Promise<number> {
  const isError = result["isError"] === true;
  if (out.json) out.documentText(text);
  else {
    const rendered = await renderResult(result, { out, folder, tool });
    if (isError)
      out.say(`${out.noteStyle.red("The tool reports an error:")}\n${rendered.trimEnd()}`);
    else out.printRaw(rendered);
  }
  return isError ? EXIT.toolError : EXIT.ok;
}

/** The error for a call that its server answered with an error; undefined for other failures. */
export function refusedBy(tool: ToolIdentifier, error: unknown): WorkbenchError | undefined {
  if (!(error instanceof ServerRpcError)) return undefined;
  const { data } = error.rpc;
  const hint = data === undefined ? undefined : `The server adds: ${JSON.stringify(data)}`;
  return workbenchError("SERVER_REFUSED", { ...tool, reason: error.message }, hint);
}

const PROGRESS_LINE_MS = 500;

/** Shows the progress of a call: on the progress line, or without a terminal as occasional lines. */
export function progressLines(
  out: Output,
  update: (text: string) => void,
): (params: JsonObject) => void {
  let last = -Infinity;
  return ({ progress, total, message }) => {
    const share =
      total === undefined ? `${String(progress)}` : `${String(progress)}/${String(total)}`;
    const line = safeLine(`${share} ${typeof message === "string" ? message : ""}`);
    if (out.isInteractive) update(line);
    else if (performance.now() - last >= PROGRESS_LINE_MS) {
      last = performance.now();
      out.say(line);
    }
  };
}

/** Answers elicitation requests in the terminal and shows log messages of the server. */
export function handlersOf(
  { out, prompt }: Context,
  server: () => string,
  progress: Progress,
): ClientHandlers {
  const notified: ClientHandlers["notified"] = (method, params) => {
    if (method !== "notifications/message") return;
    const { level, data } = params;
    const text = typeof data === "string" ? data : JSON.stringify(data);
    out.say(out.noteStyle.dim(`${server()} ${safeLine(String(level))}: ${safeText(text)}`));
  };
  if (!prompt.available) return { notified };
  return {
    notified,
    capabilities: ELICITATION,
    questions: {
      "elicitation/create": (params) =>
        progress.hiddenDuring(() => answerElicitation(params, prompt, out)),
    },
  };
}
