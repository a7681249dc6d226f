import { describe, expect, it } from "vitest";

import type { ClientCall } from "../../calls/call.ts";
import type { Outcome } from "../../calls/outcome.ts";
import type { Principal } from "../../calls/principal.ts";
import { NO_LOG } from "../../log.ts";
import { Line } from "../../wire/lines.ts";
import { readServerLine } from "../../wire/response.ts";
import { LateReturnTypes, type TypesContext } from "./late-return-types.ts";

const server = {
  settings: { transport: { kind: "scripts", folder: "/x" }, secretTexts: [], inheritEnv: [] },
};
const newTool = (more: object = {}) => ({ nameJson: '"list"', value: { name: "list", ...more } });

function newTypes(enabled?: boolean): LateReturnTypes {
  const settings = { scripts: { enabled }, file: undefined };
  const host = { log: NO_LOG, usesCache: false };
  return new LateReturnTypes({ settings, host } as unknown as TypesContext, () => {});
}

function call(kind: Principal["kind"], tool: object): ClientCall {
  return {
    method: "tools/call",
    principal: { kind },
    destination: { server, tool: { toolbox: "dev", server: "fx", name: "list" } },
    route: { catalogue: { tools: new Map([["list", tool]]) } },
  } as unknown as ClientCall;
}

function outcome(text: string, more: object = {}): Outcome {
  const message = { jsonrpc: "2.0", id: 1, result: { content: [{ type: "text", text }], ...more } };
  const read = readServerLine(Line.of(JSON.stringify(message)));
  if (read.kind !== "answer") throw new Error("not an answer");
  return { kind: "response", response: read.response };
}

/** What is shown to the user after a call had this outcome. */
async function learned(
  types: LateReturnTypes,
  kind: Principal["kind"],
  given: Outcome,
  tool = newTool(),
): Promise<string> {
  const shown = await types.load();
  expect(types.onSettled(call(kind, tool), given)).toBe(given);
  await types.close();
  return shown.typeOf(server as never, tool, true);
}

describe("learning what tools return", () => {
  it.each(["stdio", "local"] as const)("takes results of a client of kind %s", async (kind) => {
    expect(await learned(newTypes(), kind, outcome('{"id":1}'))).toBe("~{id:number}");
    expect(await learned(newTypes(), kind, outcome("plain text"))).toBe("~string");
  });

  it.each(["token", "oauth"] as const)("takes nothing from a client of kind %s", async (kind) => {
    const types = newTypes(true);
    expect(await learned(types, kind, outcome('{"id":1}'))).toBe("");
    expect(types.isTrusted({ kind } as Principal)).toBe(false);
  });

  it("shows nothing of it to clients that are not trusted", async () => {
    const types = newTypes();
    const tool = newTool();
    expect(await learned(types, "stdio", outcome('{"id":1}'), tool)).toBe("~{id:number}");
    const shown = await types.load();
    expect(shown.typeOf(server as never, tool, false)).toBe("");
  });

  it.each([
    ["an error", outcome("{}", { isError: true }), newTool()],
    ["a large result", outcome(JSON.stringify({ text: "x".repeat(100_000) })), newTool()],
    ["a result of the workbench", { kind: "result", result: {} } as Outcome, newTool()],
  ])("takes nothing from %s", async (_what, given, tool) => {
    expect(await learned(newTypes(), "stdio", given, tool)).toBe("");
  });

  it("prefers the output schema", async () => {
    const outputSchema = { type: "object", properties: { a: { type: "string" } }, required: ["a"] };
    const tool = newTool({ outputSchema });
    expect(await learned(newTypes(), "stdio", outcome('{"id":1}'), tool)).toBe("{a:string}");
  });

  it("takes three results of a tool", async () => {
    const types = newTypes();
    const tool = newTool();
    for (const key of ["a", "b", "c", "d"])
      await learned(types, "stdio", outcome(`{"${key}":1}`), tool);
    expect(await learned(types, "stdio", outcome('{"e":1}'), tool)).toBe(
      "~{a?:number, b?:number, c?:number}",
    );
  });

  it("is off without scripts", async () => {
    expect(await learned(newTypes(false), "stdio", outcome('{"id":1}'))).toBe("");
  });
});
