import { describe, expect, it } from "vitest";

import { readPlainCall } from "../../wire/plain-call.ts";
import type { IncomingRequest } from "../../wire/messages.ts";
import { nameProblem } from "./surface.ts";

describe("nameProblem", () => {
  it("does not parse the parameters of a plain call, which would cost more than the call", () => {
    const text =
      '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"use_tool","arguments":{}}}';
    const plain = readPlainCall(text);
    const request = {
      plain,
      get params(): never {
        throw new Error("the parameters were parsed");
      },
    } as unknown as IncomingRequest;
    expect(plain).toBeDefined();
    expect(nameProblem(request)).toBeUndefined();
  });

  it("refuses a call without the name of a tool", () => {
    const request = { params: { name: 7 } } as unknown as IncomingRequest;
    expect(nameProblem(request)).toMatchObject({ kind: "refusal", error: { code: -32602 } });
  });
});
