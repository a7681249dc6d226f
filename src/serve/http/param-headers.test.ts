import type { IncomingHttpHeaders } from "node:http";
import { describe, expect, it } from "vitest";

import { modernHeaders } from "../../servers/transport/http/request-headers.ts";
import type { ListedTool } from "../../servers/tools/catalogue.ts";
import type { JsonObject } from "../../wire/messages.ts";
import { modernProblem } from "./modern-headers.ts";

/** The headers that we send to servers and the headers that we expect of clients are the same. */

const META = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientCapabilities": {},
};

const object = (properties: JsonObject, more: JsonObject = {}): JsonObject => ({
  type: "object",
  properties,
  ...more,
});
const header = (name: unknown, type: unknown = "string"): JsonObject => ({
  type,
  "x-mcp-header": name,
});

function nested(depth: number): [schema: JsonObject, args: JsonObject] {
  let [schema, args] = [object({ a: header("Deep") }), { a: "x" } as JsonObject];
  for (let i = 1; i < depth; i++) [schema, args] = [object({ a: schema }), { a: args }];
  return [schema, args];
}

type Case = [what: string, schema: JsonObject, args: JsonObject, headers: string[]];

const CASES: Case[] = [
  ["no annotation", object({ a: { type: "string" } }), { a: "x" }, []],
  ["a string", object({ a: header("A") }), { a: "x" }, ["mcp-param-a"]],
  ["text outside of ASCII", object({ a: header("A") }), { a: "größe" }, ["mcp-param-a"]],
  ["an integer", object({ a: header("A", "integer") }), { a: 7 }, ["mcp-param-a"]],
  ["a boolean", object({ a: header("A", "boolean") }), { a: false }, ["mcp-param-a"]],
  ["an argument that is null", object({ a: header("A") }), { a: null }, []],
  ["an argument that is absent", object({ a: header("A") }), {}, []],
  [
    "a nested property",
    object({ a: object({ b: header("B") }) }),
    { a: { b: "x" } },
    ["mcp-param-b"],
  ],
  ["a property 40 levels deep", ...nested(40), ["mcp-param-deep"]],
  ["a property 200 levels deep", ...nested(200), []],
  ["a number", object({ a: header("A", "number") }), { a: 1.5 }, []],
  [
    "a number beside a string",
    object({ a: header("A", "number"), b: header("B") }),
    { a: 1, b: "x" },
    [],
  ],
  ["no type", object({ a: { "x-mcp-header": "A" } }), { a: "x" }, []],
  ["several types", object({ a: header("A", ["string", "null"]) }), { a: "x" }, []],
  ["a duplicate", object({ a: header("A"), b: header("A") }), { a: "x", b: "y" }, []],
  [
    "a duplicate in another case",
    object({ a: header("A"), b: header("a") }),
    { a: "x", b: "y" },
    [],
  ],
  [
    "a name that is not a token",
    object({ a: header("not a token"), b: header("B") }),
    { a: "x", b: "y" },
    [],
  ],
  [
    "an annotation below items",
    object({ a: { items: header("A") }, b: header("B") }),
    { a: ["x"], b: "y" },
    [],
  ],
  [
    "an annotation in a choice",
    object({ a: { anyOf: [header("A")] }, b: header("B") }),
    { a: "x", b: "y" },
    [],
  ],
  ["an annotation at the root", { ...object({ b: header("B") }), ...header("A") }, { b: "y" }, []],
];

describe.each(CASES)(
  "the Mcp-Param headers of a schema with %s",
  (_what, schema, args, expected) => {
    const params = { name: "sql", arguments: args, _meta: META };
    const text = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params });
    const sent = modernHeaders(text, () => schema) ?? {};
    const tool = { name: "sql", value: { inputSchema: schema } } as unknown as ListedTool;
    const problem = (headers: IncomingHttpHeaders) =>
      modernProblem(
        { id: 1, idText: "1", method: "tools/call", params, text },
        headers,
        () => tool,
      );

    it("are sent to servers", () => {
      expect(Object.keys(sent).filter((name) => name.startsWith("mcp-param-"))).toEqual(expected);
    });

    it("are accepted from clients", () => {
      expect(problem(sent)).toBeUndefined();
    });

    it("are required of clients", () => {
      for (const name of expected) {
        expect(problem({ ...sent, [name]: undefined })).toMatchObject({ code: "HEADER_MISMATCH" });
        expect(problem({ ...sent, [name]: "other" })).toMatchObject({ code: "HEADER_MISMATCH" });
      }
    });
  },
);
