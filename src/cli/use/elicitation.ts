import { type JsonObject, isObject } from "../../wire/messages.ts";
import type { Output } from "../output/output.ts";
import type { Prompt } from "../output/prompt.ts";
import { safeLine, safeText } from "../../text/safe-text.ts";
import { coerce } from "./coerce.ts";
import { propertiesOf } from "../../workbench/meta-tools/tool-schema.ts";

/** The elicitation modes that the terminal supports. */
export const ELICITATION = { elicitation: { form: {}, url: {} } };

/**
 * Asks the user an elicitation request in the terminal. The user may decline first; every answer is
 * checked against the requested schema before it is sent.
 */
export async function answerElicitation(
  params: JsonObject,
  prompt: Prompt,
  out: Output,
): Promise<JsonObject> {
  const { bold } = out.noteStyle;
  // The message begins with the toolbox and the server that it came from.
  out.say(bold(safeText(String(params["message"] ?? ""))));
  if (params["mode"] === "url" || typeof params["url"] === "string") {
    out.say(`The server asks you to open ${safeLine(String(params["url"]))}`);
    const done = await prompt.confirm("Done?", true);
    return { action: done ? "accept" : "decline" };
  }
  if (!(await prompt.confirm("Answer?", true))) return { action: "decline" };
  const schema = params["requestedSchema"];
  const content: Record<string, unknown> = {};
  const required = isObject(schema) && Array.isArray(schema["required"]) ? schema["required"] : [];
  for (const [name, property] of Object.entries(propertiesOf(schema))) {
    const value = await askField(name, property, required.includes(name), prompt, out);
    if (value !== undefined) content[name] = value;
  }
  return { action: "accept", content };
}

const MAX_CHOICES = 100;

async function askField(
  name: string,
  property: unknown,
  isRequired: boolean,
  prompt: Prompt,
  out: Output,
): Promise<unknown> {
  const field = isObject(property) ? property : {};
  const { title, description, type } = field;
  const label = safeLine(typeof title === "string" && title !== "" ? `${title} (${name})` : name);
  if (typeof description === "string") out.say(out.noteStyle.dim(safeLine(description)));
  const choices = choicesOf(field);
  for (const { value, label: shown } of choices.slice(0, MAX_CHOICES))
    out.say(`  ${safeLine(value)}${shown}`);
  if (choices.length > MAX_CHOICES) out.say(`  … and ${choices.length - MAX_CHOICES} more`);
  const suggestion = suggestionOf(field["default"]);
  const optional = isRequired || suggestion !== "" ? "" : ", optional";
  const kind = choices.length > 0 ? (type === "array" ? "some of these" : "one of these") : type;
  for (;;) {
    const typed = await prompt.ask(`${label} (${String(kind ?? "text")}${optional}):`, suggestion);
    if (typed === "" && !isRequired) return undefined;
    const values = type === "array" ? typed.split(/[\s,]+/) : [typed];
    const outcome = coerce(
      type === "array" && values.length === 1 ? [typed] : values,
      field,
      field,
    );
    if ("value" in outcome && typed !== "") return outcome.value;
    out.say("problem" in outcome ? safeLine(outcome.problem) : "An answer is required.");
  }
}

function suggestionOf(value: unknown): string {
  if (Array.isArray(value)) return safeLine(value.join(", "));
  return value === undefined ? "" : safeLine(String(value));
}

/** The values to choose from, in every form that the protocol has used. */
function choicesOf(field: JsonObject): readonly { value: string; label: string }[] {
  const items = isObject(field["items"]) ? field["items"] : field;
  const names = Array.isArray(field["enumNames"]) ? field["enumNames"] : [];
  if (Array.isArray(items["enum"]))
    return items["enum"].map((value, index) => ({
      value: String(value),
      label: names[index] === undefined ? "" : `  ${safeLine(String(names[index]))}`,
    }));
  const titled = items["oneOf"] ?? items["anyOf"];
  if (!Array.isArray(titled)) return [];
  return titled.filter(isObject).flatMap((one) => {
    const { const: value, title } = one;
    const label = typeof title === "string" ? `  ${safeLine(title)}` : "";
    return value === undefined ? [] : [{ value: String(value), label }];
  });
}
