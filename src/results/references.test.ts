import { describe, expect, it } from "vitest";

import { type StoredText, mayHaveReference, resolveReferences } from "./references.ts";

const STORED: Record<string, StoredText> = {
  r1: { text: 'a "text"', isJson: false },
  r2: { text: '{"big": 12345678901234567890, "list": [1.0, {"x": null}]}', isJson: true },
};
const MAX_BYTES = 10_000;
const AT = "params.arguments.arguments";

const request = (args: string): string =>
  `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"use_tool","arguments":{"tool":{"name":{"$result":"r1"}},"arguments":${args}},"_meta":{"$result":"r1"}}}`;

const resolve = (args: string, maxBytes = MAX_BYTES) =>
  resolveReferences(request(args), AT, (id) => STORED[id], maxBytes);

describe("references to stored results", () => {
  it.each([
    ['{"a":{"$result":"r1"}}', String.raw`{"a":"a \"text\""}`],
    ['{"a":[1.0, { "$result" : "r1" } ]}', String.raw`{"a":[1.0, "a \"text\"" ]}`],
    ['{"a":{"path":"big","$result":"r2"}}', '{"a":12345678901234567890}'],
    ['{"a":{"b":{"c":{"$result":"r2","path":"list[1]"}}}}', '{"a":{"b":{"c":{"x": null}}}}'],
    ['{"$result":"r2"}', STORED["r2"]?.text],
    ['[{"$result":"r1"},{"$result":"r1"}]', String.raw`["a \"text\"","a \"text\""]`],
  ])("are replaced in arguments: %s", (args, expected) => {
    expect(resolve(args)).toBe(request(expected ?? ""));
  });

  it.each([
    '{"a":{"path":"x"}}',
    '{"a":{"$results":"r1"}}',
    '{"a":"{\\"$result\\":\\"r1\\"}"}',
    '{"a":["$result","r1"]}',
    '[1, [ ], {"b" : [[{}], "]"]} ]',
    "{}",
    "null",
  ])("are only objects with their key: %s stays", (args) => {
    expect(resolve(args)).toBe(request(args));
  });

  it.each([
    ['{"a":{"$result":"r1","other":1}}', "a reference is"],
    ['{"a":{"b":1,"c":2,"d":3,"$result":"r1"}}', "a reference is"],
    ['{"a":{"$result":1}}', "a reference is"],
    ['{"a":{"$result":{"$result":"r1"}}}', "a reference is"],
    ['{"a":{"$result":"r1","path":1}}', "a reference is"],
    ['{"a":{"$result":"r1","path":null}}', "a reference is"],
    ['{"a":{"$result":"r1","$result":"r2"}}', "occurs twice"],
    ['{"a":{"$result":"r2","path":"big","path":"list"}}', "occurs twice"],
    ['{"a":[{"$Result":"r1"}]}', "could be mistaken"],
    ['{"a":{"$re\u017fult":"r1"}}', "could be mistaken"],
    [String.raw`{"a":{"\u0024result":"r1"}}`, "contains escapes"],
    [String.raw`{"a":{"$result":"r1","p\u0061th":"x"}}`, "contains escapes"],
  ])("are refused if they are malformed: %s", (args, reason) => {
    expect(mayHaveReference(request(args))).toBe(true);
    expect(resolve(args)).toEqual({ reason: expect.stringContaining(reason) as string });
  });

  it("are not looked for in requests without their key", () => {
    expect(mayHaveReference('{"a":"costs $5","b":"\\u00e4"}')).toBe(false);
  });

  it("leaves everything outside of the tool's arguments alone", () => {
    expect(resolve('{"a":1}')).toBe(request('{"a":1}'));
  });

  it("are replaced in the arguments of native tools", () => {
    const native = (args: string): string =>
      `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"t__s__n","arguments":${args},"_meta":{"$result":"r1"}}}`;
    const args = '{"arguments":{"$result":"r2"},"b":{"$result":"r1"}}';
    const resolved = resolveReferences(
      native(args),
      "params.arguments",
      (id) => STORED[id],
      MAX_BYTES,
    );
    const expected = String.raw`{"arguments":${STORED["r2"]?.text ?? ""},"b":"a \"text\""}`;
    expect(resolved).toBe(native(expected));
  });

  it("does not look for references in what it puts in", () => {
    const stored = { text: '{"$result":"r2"}', isJson: true };
    const text = request('{"a":{"$result":"r1"}}');
    const resolved = resolveReferences(
      text,
      AT,
      (id) => (id === "r1" ? stored : undefined),
      MAX_BYTES,
    );
    expect(resolved).toBe(request('{"a":{"$result":"r2"}}'));
  });

  it.each([
    ['{"a":{"$result":"r9"}}', { missing: "r9" }],
    ['{"a":{"$result":"__proto__"}}', { missing: "__proto__" }],
    ['{"a":{"$result":"r1","path":"x"}}', { reason: expect.stringContaining("is text") }],
    ['{"a":{"$result":"r2","path":"x"}}', { reason: expect.stringContaining("has no 'x'") }],
    ['{"a":{"$result":"r2","path":"x["}}', { reason: expect.stringContaining("malformed") }],
  ])("have to be right: %s", (args, problem) => {
    const find = (id: string) => (Object.hasOwn(STORED, id) ? STORED[id] : undefined);
    expect(resolveReferences(request(args), AT, find, MAX_BYTES)).toMatchObject(problem);
  });

  it("must not make the request too large", () => {
    const args = '{"a":{"$result":"r2"}}';
    expect(resolve(args, request(args).length + 10)).toMatchObject({
      reason: expect.stringContaining("bytes"),
    });
  });
});
