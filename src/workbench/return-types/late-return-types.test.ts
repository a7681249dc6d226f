import { describe, expect, it } from "vitest";

import type { ClientCall } from "../../calls/call.ts";
import type { CallableTool } from "../../calls/destination.ts";
import type { Principal } from "../../calls/principal.ts";
import { NO_LOG } from "../../log.ts";
import { Line } from "../../wire/lines.ts";
import { type ServerResponse, readServerLine } from "../../wire/response.ts";
import { LateReturnTypes, type TypesContext } from "./late-return-types.ts";

const server = {
  settings: { transport: { kind: "scripts", folder: "/x" }, secretTexts: [], inheritEnv: [] },
};
const newTool = (more: object = {}) => ({ nameJson: '"list"', value: { name: "list", ...more } });

function newTypes(enabled?: boolean): LateReturnTypes {
  const settings = { scripts: { enabled }, file: undefined };
  const host = { log: NO_LOG, usesCache: false };
  return new LateReturnTypes({ settings, host } as unknown as TypesContext);
}

/** Each call has arguments of its own. */
let calls = 0;
function call(kind: Principal["kind"]): ClientCall {
  const params = { name: "list", arguments: { page: ++calls } };
  const text = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params });
  return {
    method: "tools/call",
    principal: { kind },
    request: { method: "tools/call", params, text },
    destination: {
      server,
      tool: { toolbox: "dev", server: "fx", name: "list" },
      argumentsAt: "params.arguments",
    },
  } as unknown as ClientCall;
}

function response(text: string, more: object = {}): ServerResponse {
  const message = { jsonrpc: "2.0", id: 1, result: { content: [{ type: "text", text }], ...more } };
  const read = readServerLine(Line.of(JSON.stringify(message)));
  if (read.kind !== "answer") throw new Error("not an answer");
  return read.response;
}

/** What is shown to the user after calls with these responses, and after a search. */
async function learned(
  types: LateReturnTypes,
  kind: Principal["kind"],
  given: readonly ServerResponse[],
  tool: CallableTool = newTool(),
): Promise<string> {
  for (const one of given) if (!types.done.has(tool)) types.take(call(kind), tool, one);
  const shown = await types.load();
  return shown.typeOf(server as never, tool, true);
}

const ROWS = [response('[{"id":1,"a":""},{"id":2,"a":""}]')];
const SHOWN = "~{id:number, a:string}[]";

describe("learning what tools return", () => {
  it("takes results before anything was searched for", async () => {
    expect(await learned(newTypes(), "stdio", ROWS)).toBe(SHOWN);
    expect(await learned(newTypes(true), "owner", ROWS)).toBe(SHOWN);
    expect(await learned(newTypes(), "stdio", [response("plain text")])).toBe("~string");
  });

  it("takes no results of a command that calls one tool and ends", async () => {
    const types = newTypes();
    expect(await learned(types, "local", ROWS)).toBe("");
    expect(await learned(types, "local", ROWS)).toBe(SHOWN);
  });

  it.each(["token", "oauth"] as const)("takes nothing from a client of kind %s", async (kind) => {
    const types = newTypes(true);
    expect(await learned(types, kind, ROWS)).toBe("");
    expect(types.isTrusted({ kind } as Principal)).toBe(false);
  });

  it("shows nothing of it to clients that are not trusted", async () => {
    const types = newTypes();
    const tool = newTool();
    expect(await learned(types, "stdio", ROWS, tool)).toBe(SHOWN);
    const shown = await types.load();
    expect(shown.typeOf(server as never, tool, false)).toBe("");
  });

  const withoutContent = { content: undefined, task: { taskId: "1" } };
  it.each([
    ["an error", response("{}", { isError: true })],
    ["a large result", response(JSON.stringify({ text: "x".repeat(100_000) }))],
    ["a task or a question", response("{}", withoutContent)],
  ])("takes nothing from %s", async (_what, given) => {
    expect(await learned(newTypes(), "stdio", [given])).toBe("");
  });

  it("prefers the output schema, and takes no results then", async () => {
    const outputSchema = { type: "object", properties: { a: { type: "string" } }, required: ["a"] };
    const tool = newTool({ outputSchema });
    const types = newTypes();
    expect(await learned(types, "stdio", ROWS, tool)).toBe("{a:string}");
    expect(types.done.has(tool)).toBe(true);
  });

  it("takes six results of a tool, and shows only what they have in common", async () => {
    const types = newTypes();
    const tool = newTool();
    const given = [1, 2, 3, 4, 5, 6].map((id) => response(JSON.stringify({ id, a: "" })));
    expect(await learned(types, "stdio", given.slice(0, 1), tool)).toBe("~{…}");
    expect(await learned(types, "stdio", given.slice(0, 1), tool)).toBe("~{…}");
    expect(await learned(types, "stdio", given.slice(1, 4), tool)).toBe("~{id:number, a:string}");
    expect(types.done.has(tool)).toBe(false);
    await learned(types, "stdio", given.slice(4, 5), tool);
    expect(types.done.has(tool)).toBe(true);
  });

  it("is off without scripts", async () => {
    expect(await learned(newTypes(false), "stdio", ROWS)).toBe("");
  });
});
