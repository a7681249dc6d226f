import type { IncomingHttpHeaders } from "node:http";
import { describe, expect, it } from "vitest";
import type { ListedTool } from "../../servers/tools/catalogue.ts";
import type { JsonObject } from "../../wire/messages.ts";
import { modernProblem } from "./modern-headers.ts";

const VERSION = "2026-07-28";
const META = {
  "io.modelcontextprotocol/protocolVersion": VERSION,
  "io.modelcontextprotocol/clientCapabilities": {},
};
const base64 = (text: string): string => `=?base64?${Buffer.from(text).toString("base64")}?=`;

const inputSchema = {
  type: "object",
  properties: {
    region: { type: "string", "x-mcp-header": "Region" },
    count: { type: "integer", "x-mcp-header": "Count" },
    dry: { type: "boolean", "x-mcp-header": "Dry-Run" },
    nested: {
      type: "object",
      properties: { zone: { type: "string", "x-mcp-header": "Zone" } },
    },
    list: { type: "array", items: { type: "string" } },
    plain: { type: "string" },
  },
};
const TOOL = { name: "sql", value: { name: "sql", inputSchema } } as unknown as ListedTool;

/** The problem of a request with these parameters and headers. */
function problem(method: string, params: JsonObject, headers: IncomingHttpHeaders) {
  const request = { id: 1, idText: "1", method, params, text: "" };
  const found = modernProblem(request, headers, (name) => (name === "sql" ? TOOL : undefined));
  return found && { code: found.rpcCode, status: found.httpStatus, message: found.message };
}

const headersOf = (method: string, more: IncomingHttpHeaders = {}): IncomingHttpHeaders => ({
  "mcp-protocol-version": VERSION,
  "mcp-method": method,
  ...more,
});
const MISMATCH = { code: -32020, status: 400 };
const INVALID = { code: -32602, status: 400 };

describe("the check of arguments that headers repeat", () => {
  it.each([
    ["in another case", '{"region":"eu","Region":"us"}'],
    ["with escapes", String.raw`{"r\u0065gion":"eu"}`],
    ["twice", '{"region":"us","region":"eu"}'],
    ["further inside", '{"region":"eu","nested":{"zone":"z","ZONE":"y"}}'],
  ])("rejects a call with one of them written %s", (_what, args) => {
    const text = `{"params":{"name":"sql","arguments":${args},"_meta":${JSON.stringify(META)}}}`;
    const { params } = JSON.parse(text) as { params: JsonObject };
    const headers = headersOf("tools/call", {
      "mcp-name": "sql",
      "mcp-param-region": "eu",
      ...("nested" in (params["arguments"] as object) && { "mcp-param-zone": "z" }),
    });
    const request = { id: 1, idText: "1", method: "tools/call", params, text };
    expect(modernProblem(request, headers, () => TOOL)?.rpcCode).toBe(INVALID.code);
  });

  it("does not apply to a prompt with the name of a tool", () => {
    const params = { name: "sql", arguments: { region: "eu" }, _meta: META };
    const headers = headersOf("prompts/get", { "mcp-name": "sql" });
    expect(problem("prompts/get", params, headers)).toBeUndefined();
  });
});

describe("the check of a name that is not a string", () => {
  it.each([[["sql"]], [{ toString: 1, valueOf: 1 }], [null]])("rejects %j", (name) => {
    const headers = headersOf("tools/call", { "mcp-name": "sql" });
    expect(problem("tools/call", { name, _meta: META }, headers)).toMatchObject(MISMATCH);
  });
});

describe("the check of a modern request's envelope", () => {
  it.each([
    ["no _meta", {}],
    ["_meta that is no object", { _meta: 1 }],
    ["no version", { _meta: { ...META, "io.modelcontextprotocol/protocolVersion": undefined } }],
    [
      "no capabilities",
      { _meta: { ...META, "io.modelcontextprotocol/clientCapabilities": undefined } },
    ],
    [
      "capabilities that are no object",
      { _meta: { ...META, "io.modelcontextprotocol/clientCapabilities": [] } },
    ],
  ])("rejects a request with %s", (_what, params) => {
    const found = problem("tools/list", params, headersOf("tools/list"));
    expect(found).toMatchObject(INVALID);
  });
});

describe("the check of a modern request's headers", () => {
  it("accepts headers that agree with the body", () => {
    expect(problem("tools/list", { _meta: META }, headersOf("tools/list"))).toBeUndefined();
  });

  it.each<[string, IncomingHttpHeaders]>([
    ["no version", { "mcp-method": "tools/list" }],
    ["another version", { "mcp-protocol-version": "2025-11-25", "mcp-method": "tools/list" }],
    ["no method", { "mcp-protocol-version": VERSION }],
    ["another method", headersOf("prompts/list")],
    ["the method in other letters", headersOf("TOOLS/LIST")],
    ["the method twice", headersOf("tools/list, tools/list")],
  ])("rejects headers with %s", (_what, headers) => {
    expect(problem("tools/list", { _meta: META }, headers)).toMatchObject(MISMATCH);
  });

  it.each([
    ["tools/call", { name: "a" }, "a"],
    ["prompts/get", { name: "a" }, "a"],
    ["resources/read", { uri: "file:///a b" }, "file:///a b"],
    ["tasks/get", { taskId: "t" }, "t"],
    ["tasks/update", { taskId: "t" }, "t"],
    ["tasks/cancel", { taskId: "t" }, "t"],
    ["tools/call", { name: "größe" }, base64("größe")],
    ["tools/call", { name: base64("a") }, base64(base64("a"))],
  ])("requires Mcp-Name to match the subject of %s", (method, params, name) => {
    const withMeta = { ...params, _meta: META };
    const named = (value: string): IncomingHttpHeaders => headersOf(method, { "mcp-name": value });
    expect(problem(method, withMeta, named(name))).toBeUndefined();
    expect(problem(method, withMeta, named("other"))).toMatchObject(MISMATCH);
    expect(problem(method, withMeta, headersOf(method))).toMatchObject(MISMATCH);
  });

  it("rejects an Mcp-Name that the body does not contain", () => {
    const headers = headersOf("tools/call", { "mcp-name": "a" });
    expect(problem("tools/call", { _meta: META }, headers)).toMatchObject(MISMATCH);
  });

  it("rejects an Mcp-Name that is not ASCII", () => {
    const headers = headersOf("tools/call", { "mcp-name": "gr\u00f6\u00dfe" });
    expect(problem("tools/call", { name: "größe", _meta: META }, headers)).toMatchObject(MISMATCH);
  });
});

describe("the check of a modern request's Mcp-Param headers", () => {
  const call = (args: JsonObject | undefined, params: IncomingHttpHeaders) =>
    problem(
      "tools/call",
      { name: "sql", ...(args && { arguments: args }), _meta: META },
      headersOf("tools/call", { "mcp-name": "sql", ...params }),
    );

  it.each<[JsonObject | undefined, IncomingHttpHeaders]>([
    [undefined, {}],
    [{}, {}],
    [{ region: null }, {}],
    [{ plain: "x" }, {}],
    [{ region: "eu" }, { "mcp-param-region": "eu" }],
    [{ region: "世界" }, { "mcp-param-region": base64("世界") }],
    [{ region: "" }, { "mcp-param-region": "" }],
    [{ count: 42 }, { "mcp-param-count": "42" }],
    [{ count: 42 }, { "mcp-param-count": "42.0" }],
    [{ count: -7 }, { "mcp-param-count": "-7" }],
    [{ dry: false }, { "mcp-param-dry-run": "false" }],
    [{ nested: { zone: "a" } }, { "mcp-param-zone": "a" }],
    [{ list: ["a"] }, {}],
    [{}, { "mcp-param-unknown": "x" }],
  ])("accepts the arguments %j with the headers %j", (args, headers) => {
    expect(call(args, headers)).toBeUndefined();
  });

  it.each<[JsonObject, IncomingHttpHeaders]>([
    [{ region: "eu" }, {}],
    [{ region: "eu" }, { "mcp-param-region": "us" }],
    [{ region: "Hello" }, { "mcp-param-region": "=?base64?SGVsbG8?=" }],
    [{ region: null }, { "mcp-param-region": "null" }],
    [{}, { "mcp-param-region": "eu" }],
    [{ count: 0 }, { "mcp-param-count": "" }],
    [{ count: 42 }, { "mcp-param-count": "43" }],
    [{ dry: true }, { "mcp-param-dry-run": "TRUE" }],
    [{ nested: { zone: "a" } }, {}],
    [{ nested: { zone: "a" } }, { "mcp-param-zone": "b" }],
  ])("rejects the arguments %j with the headers %j", (args, headers) => {
    expect(call(args, headers)).toMatchObject(MISMATCH);
  });

  it("accepts anything for a tool whose schema is not known yet", () => {
    const params = { name: "other", arguments: { region: "eu" }, _meta: META };
    const headers = headersOf("tools/call", { "mcp-name": "other" });
    expect(problem("tools/call", params, headers)).toBeUndefined();
  });

  it("ignores properties of Object.prototype", () => {
    const schema = { properties: { constructor: { type: "string", "x-mcp-header": "C" } } };
    const tool = { name: "p", value: { inputSchema: schema } } as unknown as ListedTool;
    const request = {
      id: 1,
      idText: "1",
      method: "tools/call",
      params: { name: "p", arguments: {}, _meta: META },
      text: "",
    };
    const headers = headersOf("tools/call", { "mcp-name": "p" });
    expect(modernProblem(request, headers, () => tool)).toBeUndefined();
  });
});
