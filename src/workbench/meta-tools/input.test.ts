import * as fc from "fast-check";
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { INPUT_ARTIFACTS } from "../../../scripts/input-artifacts.ts";
import { INPUT_RULES } from "./input-rules.generated.ts";
import {
  CloseToolboxInputSchema,
  OpenToolboxInputSchema,
  SearchToolsInputSchema,
  UseToolInputSchema,
  explainInput,
} from "./input-schemas.ts";
import { parseCloseToolbox, parseOpenToolbox, parseSearchTools, parseUseTool } from "./input.ts";
import {
  CLOSE_TOOLBOX,
  USE_TOOL,
  openNativeToolboxTool,
  openToolboxTool,
  searchToolsTool,
} from "./definitions.ts";

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
    accept: parseSearchTools,
    inputs: record("query", "toolbox", "limit", "detail", "more"),
  },
  {
    name: "open_toolbox",
    schema: OpenToolboxInputSchema,
    accept: parseOpenToolbox,
    inputs: record("toolbox", "detail", "more"),
  },
  {
    name: "close_toolbox",
    schema: CloseToolboxInputSchema,
    accept: parseCloseToolbox,
    inputs: record("toolbox", "more"),
  },
  {
    name: "use_tool",
    schema: UseToolInputSchema,
    accept: parseUseTool,
    inputs: fc.record(
      { tool: fc.oneof(identifier, anything), arguments: anything },
      { requiredKeys: [] },
    ),
  },
] as const;

describe.each(CHECKS)("the fast input check of $name", ({ name, schema, accept, inputs }) => {
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

  it("explains every input that the schema rejects", () => {
    fc.assert(
      fc.property(fc.oneof(inputs, anything), (input) => {
        const refused = !schema.safeParse(input ?? {}).success;
        expect(explainInput(name, input ?? {}) !== undefined).toBe(refused);
      }),
    );
  });
});

describe("the rules of the fast input checks", () => {
  it.each(INPUT_ARTIFACTS)("are up to date in $path (otherwise run `npm run generate`)", (file) => {
    const current = readFileSync(new URL(`../../../${file.path}`, import.meta.url), "utf8");
    expect(file.render(current)).toBe(current);
  });
});

describe("the advertised input schema of open_toolbox", () => {
  it("names the toolboxes", () => {
    const box = { name: "dev", description: "x", keywords: [], servers: new Map() };
    const { inputSchema } = openToolboxTool([box]);
    expect(inputSchema.properties).toEqual({
      ...INPUT_RULES.open_toolbox.properties,
      toolbox: { type: "string", enum: ["dev"] },
    });
    expect({ ...inputSchema, properties: undefined }).toEqual({
      ...INPUT_RULES.open_toolbox,
      properties: undefined,
    });
  });
});

describe("the annotations of a meta-tool", () => {
  const READ_ONLY = expect.objectContaining({ readOnlyHint: true }) as unknown;

  it("call search_tools read-only", () => {
    expect(searchToolsTool("proxy").annotations).toEqual(READ_ONLY);
  });

  it.each([openToolboxTool([]), openNativeToolboxTool([]), CLOSE_TOOLBOX, USE_TOOL])(
    "do not call $name read-only, because it starts or ends servers",
    ({ annotations }) => {
      expect(annotations).not.toEqual(READ_ONLY);
    },
  );
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
