/** The texts of a tool definition that search looks at, each bounded in size. */

import { asText, isObject } from "../text/json.ts";
import { sentenceEnd } from "./sentence.ts";
import type { ToolDefinition } from "./types.ts";

export interface ToolText {
  readonly name: string;
  /** Title and first sentence: what the tool is for. */
  readonly purpose: string;
  /** Names of the parameters, nested ones too. */
  readonly parameters: string;
  /** The rest: further description, what is said about parameters, their possible values. */
  readonly details: string;
}

export const LONGEST_NAME = 256;
const LONGEST_DESCRIPTION = 4_000;
const LONGEST_DETAILS = 8_000;
const MOST_PARAMETERS = 200;
const MOST_VALUES = 50;
const DEEPEST_PARAMETER = 4;

export function toolText(tool: ToolDefinition): ToolText {
  const description = asText(tool.description).slice(0, LONGEST_DESCRIPTION).trim();
  const end = sentenceEnd(description);
  const schema = new SchemaText();
  schema.read(tool.inputSchema, 0);
  return {
    name: asText(tool.name).slice(0, LONGEST_NAME),
    purpose: `${asText(tool.title).slice(0, LONGEST_NAME)}\n${description.slice(0, end)}`,
    parameters: schema.names.join(" "),
    details: `${description.slice(end)}\n${schema.details.join("\n")}`.slice(0, LONGEST_DETAILS),
  };
}

class SchemaText {
  readonly names: string[] = [];
  readonly details: string[] = [];

  read(schema: unknown, depth: number): void {
    if (!isObject(schema) || depth > DEEPEST_PARAMETER) return;
    if (isObject(schema["properties"])) {
      for (const name in schema["properties"]) {
        if (this.names.length >= MOST_PARAMETERS) return;
        this.names.push(name.slice(0, LONGEST_NAME));
        this.#describe(schema["properties"][name], depth);
      }
    }
    this.read(schema["items"], depth + 1);
  }

  #describe(parameter: unknown, depth: number): void {
    if (!isObject(parameter)) return;
    this.details.push(asText(parameter["description"]).slice(0, LONGEST_DESCRIPTION));
    const values = parameter["enum"];
    if (Array.isArray(values)) {
      this.details.push(
        ...values.slice(0, MOST_VALUES).map((value) => asText(value).slice(0, LONGEST_NAME)),
      );
    }
    this.read(parameter, depth + 1);
  }
}
