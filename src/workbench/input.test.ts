import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import {
  CloseToolboxInputSchema,
  OpenToolboxInputSchema,
  SearchToolsInputSchema,
  UseToolInputSchema,
  explainInput,
} from "./input-schemas.ts";
import {
  acceptCloseToolbox,
  acceptOpenToolbox,
  acceptSearchTools,
  acceptUseTool,
} from "./input.ts";
import { CLOSE_TOOLBOX, USE_TOOL, openToolboxTool, searchToolsTool } from "./meta-tools.ts";

const word = fc.constantFrom("", "dev", "full", "signatures", "names", "lines", "schema", "x");
const anything = fc.oneof(
  word,
  fc.constantFrom<unknown>(0, 1, 5, 20, 21, 1.5, -1, true, null, undefined, {}, []),
  fc.jsonValue(),
);
const record = (...keys: readonly string[]): fc.Arbitrary<Record<string, unknown>> =>
  fc.dictionary(fc.constantFrom(...keys), anything);

const identifier = record("toolbox", "server", "name", "tool");
const CHECKS = [
  {
    name: "search_tools",
    schema: SearchToolsInputSchema,
    accept: acceptSearchTools,
    inputs: record("query", "toolbox", "limit", "detail", "more"),
  },
  {
    name: "open_toolbox",
    schema: OpenToolboxInputSchema,
    accept: acceptOpenToolbox,
    inputs: record("toolbox", "detail", "more"),
  },
  {
    name: "close_toolbox",
    schema: CloseToolboxInputSchema,
    accept: acceptCloseToolbox,
    inputs: record("toolbox", "more"),
  },
  {
    name: "use_tool",
    schema: UseToolInputSchema,
    accept: acceptUseTool,
    inputs: fc.record(
      { tool: fc.oneof(identifier, anything), arguments: anything },
      { requiredKeys: [] },
    ),
  },
] as const;

describe.each(CHECKS)("the quick input check of $name", ({ name, schema, accept, inputs }) => {
  it("accepts nothing that the schema rejects", () => {
    fc.assert(
      fc.property(fc.oneof(inputs, anything), (input) => {
        const accepted = accept(input) !== undefined;
        expect(accepted && !schema.safeParse(input).success).toBe(false);
      }),
      { numRuns: 2000 },
    );
  });

  it("accepts every JSON value that the schema accepts", () => {
    fc.assert(
      fc.property(inputs, (input) => {
        const written = JSON.parse(JSON.stringify(input)) as unknown;
        expect(accept(written) !== undefined).toBe(schema.safeParse(written).success);
      }),
      { numRuns: 2000 },
    );
  });

  it("leaves an explanation for every input that the schema rejects", () => {
    fc.assert(
      fc.property(fc.oneof(inputs, anything), (input) => {
        const refused = !schema.safeParse(input ?? {}).success;
        expect(explainInput(name, input ?? {}) !== undefined).toBe(refused);
      }),
    );
  });
});

/** What is left of a schema without what only serves people or documentation. */
function essence(schema: unknown): unknown {
  return JSON.parse(
    JSON.stringify(schema, (key, value: unknown) =>
      ["$schema", "default", "readOnly", "propertyNames"].includes(key) ? undefined : value,
    ),
  );
}

describe("the advertised input schema", () => {
  const box = { name: "dev", description: "x", keywords: [], servers: new Map() };

  it.each([
    [searchToolsTool("proxy"), SearchToolsInputSchema],
    [CLOSE_TOOLBOX, CloseToolboxInputSchema],
  ])("of $name is the schema that is checked", (tool, schema) => {
    expect(essence(tool.inputSchema)).toEqual(essence(z.toJSONSchema(schema)));
  });

  it("of open_toolbox is the schema that is checked, with the names of the toolboxes", () => {
    const { properties, ...rest } = z.toJSONSchema(OpenToolboxInputSchema);
    const expected = {
      ...rest,
      properties: { ...properties, toolbox: { type: "string", enum: ["dev"] } },
    };
    expect(essence(openToolboxTool([box]).inputSchema)).toEqual(essence(expected));
  });

  it("of use_tool is the schema that is checked, with any arguments", () => {
    const expected = essence(z.toJSONSchema(UseToolInputSchema)) as {
      properties: { arguments: unknown };
    };
    expected.properties.arguments = { type: "object" };
    expect(essence(USE_TOOL.inputSchema)).toEqual(expected);
  });
});

describe("explainInput", () => {
  it.each([
    ["search_tools", {}, "query: Required (expected string)"],
    ["search_tools", { query: "" }, "query: Query cannot be empty"],
    ["search_tools", { query: "x", limit: 50 }, "limit: Too big: expected number to be <=20"],
    ["search_tools", { query: "x", toolboxes: [] }, "toolboxes: Unrecognized key"],
    [
      "open_toolbox",
      { toolbox: "dev", detail: "short" },
      'detail: Invalid option: expected one of "full"|"signatures"|"names"',
    ],
  ] as const)("explains the problem with %s %j", (tool, input, text) => {
    expect(explainInput(tool, input)).toBe(text);
  });
});
