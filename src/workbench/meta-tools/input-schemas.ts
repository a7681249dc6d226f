import * as z from "zod";

import { shownName } from "../../text/shown-name.ts";

/**
 * The definition of the meta-tools' inputs: types are inferred from these schemas, the advertised
 * JSON Schemas and the rules of the fast check are generated from them, and they word every error.
 */

const toolbox = z.string().min(1, "Toolbox name cannot be empty");

export const ToolIdentifierSchema = z
  .strictObject({
    toolbox,
    server: z.string().min(1, "Server name cannot be empty"),
    name: z.string().min(1, "Tool name cannot be empty"),
  })
  .readonly();

export const UseToolInputSchema = z.strictObject({
  tool: ToolIdentifierSchema,
  arguments: z.record(z.string(), z.unknown()).optional(),
});

export const OpenToolboxInputSchema = z.strictObject({
  toolbox,
  detail: z.enum(["full", "signatures", "names"]).optional(),
});

export const CloseToolboxInputSchema = z.strictObject({ toolbox });

export const SearchToolsInputSchema = z.strictObject({
  query: z.string().min(1, "Query cannot be empty"),
  toolbox: toolbox.optional(),
  limit: z.int().min(1).max(20).meta({ default: 5 }).optional(),
  detail: z.enum(["lines", "schema"]).optional(),
});

export const RunScriptInputSchema = z.strictObject({
  script: z.string().min(1, "Script cannot be empty"),
  input: z.record(z.string(), z.unknown()).optional(),
});

export type UseToolInput = z.infer<typeof UseToolInputSchema>;
export type OpenToolboxInput = z.infer<typeof OpenToolboxInputSchema>;
export type CloseToolboxInput = z.infer<typeof CloseToolboxInputSchema>;
export type SearchToolsInput = z.infer<typeof SearchToolsInputSchema>;
export type RunScriptInput = z.infer<typeof RunScriptInputSchema>;

export const INPUT_SCHEMAS = {
  search_tools: SearchToolsInputSchema,
  use_tool: UseToolInputSchema,
  open_toolbox: OpenToolboxInputSchema,
  close_toolbox: CloseToolboxInputSchema,
  run_script: RunScriptInputSchema,
};

export type MetaToolName = keyof typeof INPUT_SCHEMAS;

/** All problems of an input, as one sentence; undefined if it is valid. */
export function explainInput(tool: MetaToolName, input: unknown): string | undefined {
  const outcome = INPUT_SCHEMAS[tool].safeParse(input, { reportInput: true });
  if (outcome.success) return undefined;
  return outcome.error.issues.map(wording).join("; ");
}

function wording(issue: z.core.$ZodIssue): string {
  const path = issue.path.join(".");
  const at = (text: string, where = path): string => (where === "" ? text : `${where}: ${text}`);
  if (issue.code === "unrecognized_keys") {
    return issue.keys
      .map((key) => {
        const where = path === "" ? shownName(key) : `${path}.${shownName(key)}`;
        const hint = where === "tool.tool" ? ". Use 'name' for the tool's name" : "";
        return at(`Unrecognized key${hint}`, where);
      })
      .join("; ");
  }
  if (issue.code !== "invalid_type") return at(issue.message);
  const expected = issue.expected === "record" ? "object" : issue.expected;
  if (issue.input === undefined) return at(`Required (expected ${expected})`);
  return at(`Expected ${expected}, received ${typeName(issue.input)}`);
}

function typeName(value: unknown): string {
  if (value === null) return "null";
  return Array.isArray(value) ? "array" : typeof value;
}
