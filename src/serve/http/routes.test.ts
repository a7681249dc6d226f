import { describe, expect, it } from "vitest";
import { pathOf, routeOf } from "./routes.ts";

describe("HTTP routing", () => {
  it.each([
    ["/mcp", []],
    ["/mcp?toolbox=dev", []],
    ["/mcp/dev", ["dev"]],
    ["/mcp/dev/file-system", ["dev", "file-system"]],
    ["/mcp/d%C3%A9v/a%20b", ["dév", "a b"]],
    ["/mcp/a%2Fb", ["a/b"]],
    ["/mcp/%2525", ["%25"]],
    ["/mcp/.", ["."]],
  ])("reads %s as the MCP endpoint of %j", (target, names) => {
    expect(routeOf(target)).toEqual({ kind: "mcp", names });
  });

  it.each([
    "",
    "/",
    "mcp",
    "//mcp",
    "/mcp/",
    "/mcp//",
    "/mcp//fs",
    "/mcp/dev/",
    "/mcp/a/b/c",
    "/mcp/%",
    "/mcp/%ff",
    "/MCP",
    "/mcpx",
    "/api",
    "/healthz/",
    "http://localhost:7333/mcp",
    "*",
  ])("finds no route for %j", (target) => {
    expect(routeOf(target)).toEqual({ kind: "nothing" });
  });

  it("finds /healthz and /api/status", () => {
    expect(routeOf("/healthz")).toEqual({ kind: "health" });
    expect(routeOf("/api/status?x=1")).toEqual({ kind: "status" });
  });

  it("removes the query from a path that is reported", () => {
    expect(pathOf("/nowhere?token=secret")).toBe("/nowhere");
  });
});
