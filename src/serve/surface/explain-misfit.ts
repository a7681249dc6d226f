import type { OnFailed } from "../../calls/destination.ts";
import { editedResponse } from "../../wire/edited-response.ts";
import { elementsOf, memberText, membersOf, replaceMember } from "../../wire/members.ts";
import { isObject } from "../../wire/messages.ts";

/**
 * Adds the signature of the tool to the response to a `use_tool` call that failed, if the arguments
 * do not match the tool's schema: an agent that found the tool by a search has not seen the schema.
 * The server's own content is not touched.
 */
export const explainMisfit: OnFailed = async ({ request, tool, response }) => {
  const input = request.params["arguments"];
  if (!isObject(input)) return response;
  const { misfitOf } = await import("../../workbench/meta-tools/misfit-note.ts");
  const misfit = misfitOf(tool.value, input["arguments"] ?? {});
  if (misfit === undefined) return response;
  const { note, problem } = misfit;
  return editedResponse(response, (text) => {
    // A saved script is checked by the workbench, with the same words.
    if (text.includes(JSON.stringify(problem).slice(1, -1))) return undefined;
    return response.isError ? withMessage(text, note) : withBlock(text, note);
  });
};

/** The message of a JSON-RPC error is all that agents read of it, so the note follows it. */
function withMessage(text: string, note: string): string | undefined {
  const error = memberText(text, "error");
  const message = error && memberText(error, "message");
  if (!error || !message?.startsWith('"')) return undefined;
  const longer = `${message.slice(0, -1)}${JSON.stringify(`\n${note}`).slice(1)}`;
  return replaceMember(text, "error", replaceMember(error, "message", longer));
}

/** The result with another text block at the end. */
function withBlock(text: string, note: string): string | undefined {
  const result = membersOf(text)?.get("result");
  const content = result && membersOf(text, result.start)?.get("content");
  const blocks = content && elementsOf(text, content.start);
  if (result === undefined || content === undefined || blocks === undefined) return undefined;
  if (memberText(text.slice(result.start, result.end), "isError") !== "true") return undefined;
  const end = content.end - 1;
  const block = JSON.stringify({ type: "text", text: note });
  return `${text.slice(0, end)}${blocks.length > 0 ? "," : ""}${block}${text.slice(end)}`;
}
