import { describe, expect, it } from "vitest";

import type { ClientCall } from "../calls/call.ts";
import type { Principal } from "../calls/principal.ts";
import { UI_CAPABILITIES } from "../protocol/ui-extension.ts";
import { ResultLimits, readerOf } from "./result-limits.ts";

function reader(kind: Principal["kind"], more: Partial<ClientCall> = {}, enabled?: boolean) {
  const call = { principal: { kind }, destination: {}, ...more } as unknown as ClientCall;
  return readerOf(call, { scripts: { enabled } as never });
}

const destination = (mayStoreResult?: boolean) =>
  ({ destination: { server: {}, tool: {}, mayStoreResult } }) as unknown as Partial<ClientCall>;

describe("what gets the output of a script", () => {
  it("is an agent if it has run_script", () => {
    expect(reader("stdio")).toBe("agent");
    expect(reader("stdio", destination(true))).toBe("agent");
    expect(reader("owner", destination(true), true)).toBe("agent");
  });

  it("cannot read on over HTTP without scripts, on the command line, and in the view of one server", () => {
    expect(reader("owner", destination(true))).toBe("program");
    expect(reader("token", destination(true))).toBe("program");
    expect(reader("local", destination(true), true)).toBe("program");
    expect(reader("stdio", destination(), true)).toBe("program");
  });

  it("is a script if that made the call", () => {
    const parent = {} as ClientCall;
    expect(reader("stdio", { ...destination(true), parent })).toBe("script");
    expect(reader("owner", { ...destination(), parent })).toBe("script");
  });
});

describe("the limit of a result", () => {
  const settings = { results: { limit: 5000 }, scripts: { enabled: true } } as never;
  const page = { value: { _meta: { ui: { resourceUri: "ui://map" } } } } as never;
  const plain = { value: {} } as never;
  const call = (argumentsAt: string, capabilities: object): ClientCall =>
    ({
      principal: { kind: "stdio" },
      caller: { profile: { client: { capabilities } } },
      destination: { server: {}, tool: {}, mayStoreResult: true, argumentsAt },
    }) as unknown as ClientCall;
  const limitOf = (argumentsAt: string, tool: never, capabilities: object = {}): unknown =>
    new ResultLimits().of(call(argumentsAt, capabilities), tool, settings);

  it("does not exist for what a client shows in a page", () => {
    const limit = { chars: 5000 };
    expect(limitOf("params.arguments", page, UI_CAPABILITIES)).toBeUndefined();
    expect(limitOf("params.arguments", plain, UI_CAPABILITIES)).toEqual(limit);
    expect(limitOf("params.arguments", page)).toEqual(limit);
    // Clients look for the page of the tool that they called, and `use_tool` has none.
    expect(limitOf("params.arguments.arguments", page, UI_CAPABILITIES)).toEqual(limit);
  });

  it.each([
    [undefined, 50_000],
    [10, 50_000],
    [200_000, 200_000],
    [1e12, 500_000],
    ["200000", 50_000],
  ])("is what a native tool asks for, up to what the client accepts: %j is %i", (asked, chars) => {
    const tool = { value: { _meta: { "anthropic/maxResultSizeChars": asked } } } as never;
    const client = { info: { name: "claude-code" }, capabilities: {} };
    const native = { ...call("params.arguments", {}), caller: { profile: { client } } };
    const byClient = { results: { limit: "client" }, scripts: { enabled: true } } as never;
    expect(new ResultLimits().of(native as never, tool, byClient)?.chars).toBe(chars);
  });
});
