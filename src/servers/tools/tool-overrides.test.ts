import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { ToolOverride } from "../../config/types.ts";
import type { ListedItem } from "../requests/list-reader.ts";
import { Catalogue } from "./catalogue.ts";
import { toolFilter } from "./tool-filter.ts";

const ALL = toolFilter(["*"]);

function listed(...texts: readonly string[]): ListedItem[] {
  return texts.map((text) => ({ text, value: JSON.parse(text) as ListedItem["value"] }));
}

const QUERY =
  '{"name":"query","description":"Run SQL","inputSchema":{"type":"object","properties":{"sql":{"type":"string","maxLength":18446744073709551615},"database":{"type":"string"},"limit":{"type":"integer","default":1.0}},"required":["sql","database"],"additionalProperties":false},"x-own":[1.50]}';
const OTHER = '{"name":"other","inputSchema":{"type":"object"}}';

function catalogue(overrides: Readonly<Record<string, ToolOverride>>, ...more: string[]) {
  return new Catalogue(listed(QUERY, OTHER, ...more), ALL, overrides);
}

describe("tool overrides", () => {
  it("leave every other tool as the server wrote it", () => {
    const { tools } = catalogue({ query: { description: "Ask the database" } });
    expect(tools.get("other")?.text).toBe(OTHER);
    expect(tools.get("other")).not.toHaveProperty("pinned");
  });

  it("replace a tool's description and keep the rest of it byte for byte", () => {
    const { tools } = catalogue({ query: { description: "Ask the database" } });
    const text = tools.get("query")?.text ?? "";
    expect(JSON.parse(text)).toMatchObject({ name: "query", description: "Ask the database" });
    expect(text).toContain('"maxLength":18446744073709551615');
    expect(text).toContain('"default":1.0');
    expect(text).toContain('"x-own":[1.50]');
  });

  it("rename a tool for clients and keep the server's name for calls", () => {
    const { tools } = catalogue({ query: { name: "ask_database" } });
    expect([...tools.keys()]).toEqual(["ask_database", "other"]);
    const tool = tools.get("ask_database");
    expect(tool).toMatchObject({ ownName: "query", nameJson: '"query"' });
    expect(tool?.value["name"]).toBe("ask_database");
  });

  it("can swap the names of two tools", () => {
    const { tools, problems } = catalogue({ query: { name: "other" }, other: { name: "query" } });
    expect(tools.get("other")?.ownName).toBe("query");
    expect(tools.get("query")?.ownName).toBe("other");
    expect(problems).toEqual([]);
  });

  it("do not rename a tool to the name of another", () => {
    const { tools, problems } = catalogue({ query: { name: "other" } });
    expect(tools.get("other")?.ownName).toBe("other");
    expect(tools.get("query")?.ownName).toBe("query");
    expect(problems).toEqual([
      "overrides: tool 'query' cannot be renamed to 'other': the name is taken",
    ]);
  });

  it("hide a tool", () => {
    const { tools } = catalogue({ query: { hidden: true } });
    expect([...tools.keys()]).toEqual(["other"]);
  });

  it("remove pinned arguments from the schema that clients see", () => {
    const { tools } = catalogue({ query: { arguments: { database: "prod_ro" } } });
    const tool = tools.get("query");
    expect(tool?.pinned).toEqual({ database: "prod_ro" });
    expect(tool?.text).not.toContain("database");
    expect(tool?.value["inputSchema"]).toMatchObject({
      properties: { sql: {}, limit: {} },
      required: ["sql"],
      additionalProperties: false,
    });
    expect(tool?.text).toContain('"maxLength":18446744073709551615');
  });

  it("remove pinned arguments however the definition is written", () => {
    const text = QUERY.replace('"inputSchema"', '"inputSch\\u0065ma"');
    const { tools } = new Catalogue(listed(text), ALL, { query: { arguments: { database: 1 } } });
    expect(tools.get("query")?.text).not.toContain("database");
  });

  it("remove pinned arguments from alternatives and dependencies too", () => {
    const inputSchema = {
      type: "object",
      properties: { a: {}, secret: {} },
      anyOf: [{ required: ["secret"] }, { required: ["a", "secret"] }],
      dependentRequired: { secret: ["a"] },
      oneOf: [{ properties: { secret: { const: 1 } } }, true],
    };
    const text = JSON.stringify({ name: "t", inputSchema });
    const { tools } = new Catalogue(listed(text), ALL, { t: { arguments: { secret: 1 } } });
    expect(tools.get("t")?.text).not.toContain("secret");
    expect(tools.get("t")?.value["inputSchema"]).toMatchObject({
      anyOf: [{ required: [] }, { required: ["a"] }],
      oneOf: [{ properties: {} }, true],
    });
  });

  it("keep the server's own schema for requests to the server", () => {
    const own = catalogue({ query: { name: "ask", arguments: { database: "x" } } });
    expect(own.ownSchemaOf("query")).toEqual(listed(QUERY)[0]?.value["inputSchema"]);
    expect(own.ownSchemaOf("other")).toEqual({ type: "object" });
    expect(own.ownSchemaOf("ask")).toBeUndefined();
  });

  it("report unknown tools and arguments with the nearest existing name", () => {
    const { problems } = catalogue({
      qeury: { hidden: true },
      query: { arguments: { databse: "x" } },
      somethingElseEntirely: { hidden: true },
    });
    expect(problems).toEqual([
      "overrides: the server has no tool 'qeury'. Did you mean 'query'?",
      "overrides: tool 'query' has no argument 'databse'. Did you mean 'database'?",
      "overrides: the server has no tool 'somethingElseEntirely'",
    ]);
  });

  it("are applied after the filter, which uses the server's own names", () => {
    const filtered = new Catalogue(listed(QUERY, OTHER), toolFilter(["other"]), {
      query: { name: "shown" },
      other: { name: "renamed" },
    });
    expect([...filtered.tools.keys()]).toEqual(["renamed"]);
    expect(filtered.problems).toEqual([]);
  });

  it("change the fingerprint even if clients cannot see the change", () => {
    const prints = [
      {},
      { query: { arguments: { database: "a" } } },
      { query: { arguments: { database: "b" } } },
      { query: { name: "x" } },
    ].map((overrides) => catalogue(overrides).fingerprint);
    expect(new Set(prints).size).toBe(prints.length);
  });

  it("are matched by own keys only, even for tools named like Object.prototype members", () => {
    const names = ["constructor", "toString", "__proto__"];
    const texts = names.map((name) => JSON.stringify({ name, inputSchema: {} }));
    const { tools } = new Catalogue(listed(...texts), ALL, { x: { hidden: true } });
    expect([...tools.keys()]).toEqual(names);
  });

  it("give every tool exactly one name, however tools are renamed", () => {
    const name = fc.constantFrom("a", "b", "c", "d");
    fc.assert(
      fc.property(
        fc.uniqueArray(name, { minLength: 1 }),
        fc.dictionary(name, fc.record({ name })),
        (names, overrides) => {
          const texts = names.map((own) => JSON.stringify({ name: own }));
          const { tools, problems } = new Catalogue(listed(...texts), ALL, overrides);
          for (const [shown, tool] of tools) {
            expect(tool.value["name"]).toBe(shown);
            expect(names).toContain(tool.ownName);
          }
          const leftOut = problems.filter((text) => text.endsWith("It is left out"));
          expect(tools.size).toBe(names.length - leftOut.length);
        },
      ),
    );
  });
});
