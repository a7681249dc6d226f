/** The texts of a tool definition that are searched, each bounded in size. */

import { asText, isObject } from "../text/json.ts";
import { descriptionOf, titleOf } from "./description.ts";
import { purposeIn } from "./purpose.ts";
import { sentenceEnd } from "./sentence.ts";
import type { ToolDefinition } from "./types.ts";

export interface ToolText {
  readonly name: string;
  /** Title and first sentence: what the tool is for. */
  readonly purpose: string;
  /** Names of the parameters, nested ones too. */
  readonly parameters: string;
  /** The rest of the description, and the descriptions and possible values of parameters. */
  readonly details: string;
}

export const MAX_NAME_LENGTH = 256;
const MAX_DESCRIPTION_LENGTH = 4_000;
const MAX_DETAILS_LENGTH = 8_000;
const MAX_PARAMETERS = 200;
const MAX_VALUES = 50;
const MAX_PARAMETER_DEPTH = 4;

export function toolText(tool: ToolDefinition): ToolText {
  const description = descriptionOf(tool).slice(0, MAX_DESCRIPTION_LENGTH).trim();
  const { purpose, rest } = splitDescription(description);
  const schema = new SchemaText();
  schema.read(tool.inputSchema, 0);
  return {
    name: asText(tool.name).slice(0, MAX_NAME_LENGTH),
    purpose: `${titleOf(tool).slice(0, MAX_NAME_LENGTH)}\n${purpose}`,
    parameters: schema.names.join(" "),
    details: `${rest}\n${schema.details.join("\n")}`.slice(0, MAX_DETAILS_LENGTH),
  };
}

/** A heading, a label or a tag, after which the purpose follows. */
const BEGINS_WITH_MARKUP = /^(?:[^\p{L}\p{N}]|[^.!?\n]{1,30}:)/u;

/** The sentence that says what the tool does, mostly the first, and everything else. */
function splitDescription(description: string): { purpose: string; rest: string } {
  const text = BEGINS_WITH_MARKUP.test(description) ? purposeIn(description) : description;
  const purpose = text.slice(0, sentenceEnd(text));
  const at = description.indexOf(purpose);
  // Lines that were joined are not found again, and their words count twice.
  if (at < 0) return { purpose, rest: description };
  const rest = `${description.slice(0, at)}\n${description.slice(at + purpose.length)}`;
  return { purpose, rest };
}

class SchemaText {
  readonly names: string[] = [];
  readonly details: string[] = [];

  read(schema: unknown, depth: number): void {
    if (!isObject(schema) || depth > MAX_PARAMETER_DEPTH) return;
    if (isObject(schema["properties"])) {
      for (const name in schema["properties"]) {
        if (this.names.length >= MAX_PARAMETERS) return;
        this.names.push(name.slice(0, MAX_NAME_LENGTH));
        this.#describe(schema["properties"][name], depth);
      }
    }
    this.read(schema["items"], depth + 1);
  }

  #describe(parameter: unknown, depth: number): void {
    if (!isObject(parameter)) return;
    this.details.push(asText(parameter["description"]).slice(0, MAX_DESCRIPTION_LENGTH));
    const values = parameter["enum"];
    if (Array.isArray(values)) {
      this.details.push(
        ...values.slice(0, MAX_VALUES).map((value) => asText(value).slice(0, MAX_NAME_LENGTH)),
      );
    }
    this.read(parameter, depth + 1);
  }
}
