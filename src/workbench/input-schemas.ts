import { z } from "zod";

/**
 * What the meta-tools accept. These schemas are the definition: types are inferred from them, the
 * advertised JSON Schemas are tested against them, and every refusal is worded by them.
 */

export const ToolIdentifierSchema = z
  .strictObject({
    toolbox: z.string().min(1, "Toolbox name cannot be empty"),
    server: z.string().min(1, "Server name cannot be empty"),
    name: z.string().min(1, "Tool name cannot be empty"),
  })
  .readonly();

export const UseToolInputSchema = z.strictObject({
  tool: ToolIdentifierSchema,
  arguments: z.record(z.string(), z.unknown()).optional(),
});

const toolbox = z.string().min(1, "Toolbox name cannot be empty");

export const OpenToolboxInputSchema = z.strictObject({
  toolbox,
  detail: z.enum(["full", "signatures", "names"]).optional(),
});

export const CloseToolboxInputSchema = z.strictObject({ toolbox });

export const SearchToolsInputSchema = z.strictObject({
  query: z.string().min(1, "Query cannot be empty"),
  toolbox: toolbox.optional(),
  limit: z.int().min(1).max(20).optional(),
  detail: z.enum(["lines", "schema"]).optional(),
});

export type UseToolInput = z.infer<typeof UseToolInputSchema>;
export type OpenToolboxInput = z.infer<typeof OpenToolboxInputSchema>;
export type CloseToolboxInput = z.infer<typeof CloseToolboxInputSchema>;
export type SearchToolsInput = z.infer<typeof SearchToolsInputSchema>;

const SCHEMAS = {
  search_tools: SearchToolsInputSchema,
  use_tool: UseToolInputSchema,
  open_toolbox: OpenToolboxInputSchema,
  close_toolbox: CloseToolboxInputSchema,
};

/** All that is wrong with an input, as one sentence; undefined if nothing is. */
export function explainInput(tool: keyof typeof SCHEMAS, input: unknown): string | undefined {
  const outcome = SCHEMAS[tool].safeParse(input, { reportInput: true });
  if (outcome.success) return undefined;
  return outcome.error.issues.map(wording).join("; ");
}

function wording(issue: z.core.$ZodIssue): string {
  const path = issue.path.join(".");
  const at = (text: string, where = path): string => (where === "" ? text : `${where}: ${text}`);
  if (issue.code === "unrecognized_keys") {
    return issue.keys
      .map((key) => {
        const where = path === "" ? key : `${path}.${key}`;
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
