import { describe, expect, it } from "vitest";

import { requestText } from "../../../wire/messages.ts";
import { modernHeaders } from "./request-headers.ts";

const META = { "io.modelcontextprotocol/protocolVersion": "2026-07-28" };
const SCHEMAS: Record<string, unknown> = {
  routed: {
    properties: {
      region: { type: "string", "x-mcp-header": "Region" },
      priority: { type: "integer", "x-mcp-header": "Priority" },
      dry: { type: "boolean", "x-mcp-header": "Dry" },
      where: { properties: { zone: { type: "string", "x-mcp-header": "Zone" } } },
    },
  },
  broken: { properties: { region: { type: "number", "x-mcp-header": "Region" } } },
};

const headersOf = (method: string, params: object): Record<string, string> | undefined =>
  modernHeaders(requestText(1, method, params), (tool) => SCHEMAS[tool]);

describe("modernHeaders", () => {
  it("returns no headers for legacy messages", () => {
    expect(headersOf("tools/call", { name: "a" })).toBeUndefined();
    expect(headersOf("tools/call", { name: "a", _meta: { progressToken: 1 } })).toBeUndefined();
    expect(modernHeaders('{"jsonrpc":"2.0","id":1,"result":{}}', () => undefined)).toBeUndefined();
    expect(modernHeaders('{"jsonrpc":"2.0","method":"a"}', () => undefined)).toBeUndefined();
  });

  it.each([
    ["tools/call", { name: "a", uri: "b" }, "a"],
    ["prompts/get", { name: "a" }, "a"],
    ["resources/read", { name: "a", uri: "file:///b" }, "file:///b"],
    ["tasks/get", { taskId: "t-1" }, "t-1"],
    ["tasks/cancel", { taskId: "t-1" }, "t-1"],
    ["tools/list", { name: "a", "": "b" }, undefined],
    ["constructor", { name: "a" }, undefined],
  ])("names the subject of %s", (method, params, name) => {
    expect(headersOf(method, { ...params, _meta: META })).toEqual({
      "mcp-protocol-version": "2026-07-28",
      "mcp-method": method,
      ...(name !== undefined && { "mcp-name": name }),
    });
  });

  it("copies the arguments that the tool's schema annotates", () => {
    const args = { region: "eu", priority: -7, dry: false, where: { zone: "ä" }, other: "x" };
    expect(headersOf("tools/call", { name: "routed", arguments: args, _meta: META })).toMatchObject(
      {
        "mcp-param-region": "eu",
        "mcp-param-priority": "-7",
        "mcp-param-dry": "false",
        "mcp-param-zone": "=?base64?w6Q=?=",
      },
    );
  });

  it.each([
    [{}],
    [{ region: null, priority: null }],
    [{ region: ["eu"], priority: 1.5, dry: {}, where: "here" }],
    [{ priority: 2 ** 60 }],
    [undefined],
  ])("leaves out annotated arguments that are missing or of the wrong type: %j", (args) => {
    const headers = headersOf("tools/call", { name: "routed", arguments: args, _meta: META }) ?? {};
    expect(Object.keys(headers).sort()).toEqual(["mcp-method", "mcp-name", "mcp-protocol-version"]);
  });

  it("copies no argument for a tool whose schema is invalid", () => {
    const headers = headersOf("tools/call", {
      name: "broken",
      arguments: { region: 1 },
      _meta: META,
    });
    expect(headers).not.toHaveProperty("mcp-param-region");
  });
});
