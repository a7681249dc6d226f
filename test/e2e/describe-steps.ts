/**
 * Everything between a call and its server is a step: a function. These steps exist only in tests;
 * they show that every call passes them, in every mode, era and transport.
 */
import { describe, expect, it } from "vitest";
import type { ClientCall, Step } from "../../src/calls/call.ts";
import { failure, result } from "../../src/calls/outcome.ts";
import { LocalClient } from "../../src/embed/local-client.ts";
import { workbenchError } from "../../src/errors.ts";
import type { Workbench } from "../../src/workbench/workbench.ts";
import type { Message, Params } from "../support/clients/json-rpc.ts";
import { perTest } from "../support/disposables.ts";
import {
  type Cell,
  type Request,
  inProcessClient,
  inProcessWorkbench,
} from "../support/in-process-clients.ts";
import { everything, fixture, toolbox } from "../support/servers.ts";

/** A call of the tool `echo`, as a client of this mode makes it. */
function echo(mode: Cell["mode"], text: string): Params {
  if (mode === "transparent") return { name: "echo", arguments: { text } };
  if (mode === "dynamic") return { name: "dev__fx__echo", arguments: { text } };
  const tool = { toolbox: "dev", server: "fx", name: "echo" };
  return { name: "use_tool", arguments: { tool, arguments: { text } } };
}

const textIn = ({ result: found }: Message): string => found?.content?.[0]?.text ?? "";

/** The tool a call is for: the tool of a server, or the meta-tool. */
const toolOf = (call: ClientCall): unknown => call.destination?.server && call.destination.tool;

/** Adds the tests for these cells to the file that calls it. */
export function describeSteps(cells: readonly Cell[]): void {
  const cleanup = perTest();

  /** A workbench in this process whose calls pass these steps. */
  function workbenchWith(steps: readonly Step[], mode: Cell["mode"]): Promise<Workbench> {
    const toolboxes = { dev: toolbox({ fx: fixture(), all: everything("legacy") }) };
    return inProcessWorkbench(cleanup, { toolboxes }, mode, steps);
  }

  function client(workbench: Workbench, cell: Cell): Promise<Request> {
    return inProcessClient(cleanup, workbench, cell, { toolbox: "dev", server: "fx" });
  }

  describe("a step of the pipeline", () => {
    it.each(cells)("may wait before a call is sent: $mode, $era, $transport", async (cell) => {
      const held: unknown[] = [];
      const wait: Step = async (call, next) => {
        if (call.method !== "tools/call") return next();
        await new Promise((resolve) => setImmediate(resolve));
        held.push(toolOf(call));
        return next();
      };
      const request = await client(await workbenchWith([wait], cell.mode), cell);
      held.length = 0;
      expect(textIn(await request("tools/call", echo(cell.mode, "hello")))).toContain("hello");
      const isNamed = cell.mode !== "transparent";
      expect(held).toEqual([isNamed ? { toolbox: "dev", server: "fx", name: "echo" } : undefined]);
    });

    it.each(cells)("may refuse a call: $mode, $era, $transport", async (cell) => {
      const refuse: Step = async (call, next) =>
        call.request.text.includes("forbidden")
          ? failure(workbenchError("INVALID_PARAMETERS", { reason: "this is forbidden" }))
          : next();
      const request = await client(await workbenchWith([refuse], cell.mode), cell);
      expect(await request("tools/call", echo(cell.mode, "forbidden"))).toMatchObject({
        result: {
          isError: true,
          content: [{ text: expect.stringContaining("this is forbidden") }],
        },
      });
      expect(textIn(await request("tools/call", echo(cell.mode, "hello")))).toContain("hello");
    });

    it.each(cells)("may replace a result: $mode, $era, $transport", async (cell) => {
      const replace: Step = async (call, next) => {
        const outcome = await next();
        if (call.method !== "tools/call" || outcome.kind !== "response") return outcome;
        const bytes = outcome.response.bytes;
        return result({ content: [{ type: "text", text: `replaced ${bytes > 0}` }] });
      };
      const request = await client(await workbenchWith([replace], cell.mode), cell);
      expect(textIn(await request("tools/call", echo(cell.mode, "hello")))).toBe("replaced true");
    });

    it.each(cells)("sees every method, with the client: $mode, $era, $transport", async (cell) => {
      const seen: string[] = [];
      const note: Step = async (call, next) => {
        const outcome = await next();
        seen.push(`${call.principal.kind} ${call.method}: ${outcome.kind}`);
        return outcome;
      };
      const request = await client(await workbenchWith([note], cell.mode), cell);
      const methods = ["tools/list", "prompts/list", "resources/list", "resources/templates/list"];
      const further = cell.era === "legacy" ? ["ping", "logging/setLevel"] : ["server/discover"];
      for (const method of [...methods, ...further, "prompts/get", "completion/complete"])
        await request(method, {
          name: "none",
          level: "error",
          ref: { type: "ref/prompt", name: "n" },
        });
      const principal = cell.transport === "stdio" ? "stdio" : "owner";
      for (const method of [...methods, ...further, "prompts/get", "completion/complete"])
        expect(seen.filter((entry) => entry.startsWith(`${principal} ${method}: `))).toHaveLength(
          1,
        );
    });

    it("sees the meta-tools, the command line and the library", async () => {
      const seen: unknown[][] = [];
      const note: Step = async (call, next) => {
        seen.push([call.principal.kind, call.method, call.request.params["name"], toolOf(call)]);
        return next();
      };
      const local = new LocalClient(await workbenchWith([note], "proxy"));
      const tool = { toolbox: "dev", server: "fx", name: "echo" };
      await local.request("tools/call", { name: "search_tools", arguments: { query: "echo" } });
      await local.request("tools/call", { name: "open_toolbox", arguments: { toolbox: "dev" } });
      await local.callTool(tool, '{"text":"hello"}');
      local.close();
      expect(seen.filter(([, method]) => method === "tools/call")).toEqual([
        ["local", "tools/call", "search_tools", undefined],
        ["local", "tools/call", "open_toolbox", undefined],
        ["local", "tools/call", "use_tool", tool],
      ]);
    });
  });
}
