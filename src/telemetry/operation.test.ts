import { describe, expect, it } from "vitest";
import { type CallClient, ClientCall, type Route } from "../calls/call.ts";
import type { CallTarget } from "../calls/destination.ts";
import { MAX_TOOLS, OperationNames } from "./operation.ts";

const client = {} as CallClient;
const server = { place: { toolbox: "dev", server: "fx" } } as CallTarget;

/** A call of a tool; one that was sent has a connection. */
function toolCall(name: string, isSent = true): ClientCall {
  const call = newCall("tools/call", { name: "use_tool" });
  const tool = { toolbox: "dev", server: "fx", name };
  call.destination = { server, tool, argumentsAt: "params.arguments.arguments" };
  if (isSent) call.route = {} as Route;
  return call;
}

function newCall(method: string, params: Record<string, unknown>): ClientCall {
  return new ClientCall(client, { id: 1, idText: "1", method, params, text: "{}" });
}

const names = (): OperationNames =>
  new OperationNames({
    hasTool: (_toolbox, _server, tool) => tool === "known",
    redact: (text) => text.replaceAll("secret-value", "[redacted]"),
  });

describe("the names of operations", () => {
  it("are those of the tool that is called, if it exists", () => {
    const place = { method: "tools/call", toolbox: "dev", server: "fx" };
    const all = names();
    expect(all.forMetrics(toolCall("echo"))).toEqual({ ...place, tool: "echo" });
    expect(all.forMetrics(toolCall("known", false))).toEqual({ ...place, tool: "known" });
    expect(all.forMetrics(toolCall("invented", false))).toEqual({ ...place, tool: "_other" });
    expect(all.forMetrics(toolCall("a-secret-value"))).toMatchObject({ tool: "a-[redacted]" });
  });

  it("are known ones for everything that the workbench answers itself", () => {
    const all = names();
    for (const [method, name, tool] of [
      ["tools/call", "search_tools", "search_tools"],
      ["tools/call", "invented", "_other"],
      ["tools/call", 7, "_other"],
    ] as const)
      expect(all.forMetrics(newCall(method, { name }))).toEqual({ method, tool });
    const invented = { name: "use_tool", arguments: { tool: { name: "invented" } } };
    expect(all.forMetrics(newCall("tools/call", invented))).toMatchObject({ tool: "_other" });
    expect(all.forMetrics(newCall("invented/method", {}))).toEqual({ method: "_other" });
  });

  it("are bounded for metrics, and spans tell more of them apart", () => {
    const all = names();
    const calls = Array.from({ length: 2 * MAX_TOOLS }, (_, i) => toolCall(`tool ${i}`));
    const distinct = (name: (call: ClientCall) => { tool?: string | undefined }): number =>
      new Set(calls.map((call) => name(call).tool)).size;
    expect(distinct((call) => all.forMetrics(call))).toBe(MAX_TOOLS + 1);
    expect(distinct((call) => all.forSpan(call))).toBe(2 * MAX_TOOLS);
  });
});
