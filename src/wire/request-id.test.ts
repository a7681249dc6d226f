import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { requestIdOf } from "./request-id.ts";

const found = (line: string): string | undefined => {
  const bytes = Buffer.from(line);
  return requestIdOf(bytes.subarray(0, 256), bytes.subarray(-128));
};
const large = { name: "echo", arguments: { text: 'x","id":3}'.repeat(1000) } };
const ids = fc.oneof(fc.integer(), fc.string({ maxLength: 30 }));

describe("requestIdOf, for a request above the size limit,", () => {
  it("finds the id before or after the parameters", () => {
    fc.assert(
      fc.property(ids, (id) => {
        const method = "tools/call";
        const expected = JSON.stringify(id);
        expect(found(JSON.stringify({ jsonrpc: "2.0", id, method, params: large }))).toBe(expected);
        expect(found(JSON.stringify({ method, id, params: large }, null, " "))).toBe(expected);
        expect(found(JSON.stringify({ method, params: large, jsonrpc: "2.0", id }))).toBe(expected);
        expect(found(JSON.stringify({ method, params: large, id, jsonrpc: "2.0" }))).toBe(expected);
      }),
    );
  });

  it("finds no id in parameters, answers, notifications or other text", () => {
    const params = { ...large, id: 5 };
    expect(found(JSON.stringify({ jsonrpc: "2.0", method: "x", params }))).toBeUndefined();
    expect(found(JSON.stringify({ jsonrpc: "2.0", id: 1, result: large }))).toBeUndefined();
    expect(found(JSON.stringify({ result: large, jsonrpc: "2.0", id: 1 }))).toBeUndefined();
    expect(found(`[${JSON.stringify({ id: 1, method: "x", params })}]`)).toBeUndefined();
    expect(found("x".repeat(1000))).toBeUndefined();
  });
});
