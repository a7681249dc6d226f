import { describe, expect, it } from "vitest";

import { kindOfHead, locateId } from "./response-id.ts";

const locate = (text: string) => locateId(text, text, text.length);

describe("locateId", () => {
  it.each<[string, number, boolean]>([
    ['{"jsonrpc":"2.0","id":7,"result":{}}', 7, false],
    ['{"id":7,"jsonrpc":"2.0","result":{}}', 7, false],
    ['{"id":7,"result":{"id":8}}', 7, false],
    ['{"id":7,"error":{"code":1}}', 7, true],
    ['{"jsonrpc":"2.0","result":{"id":8},"id":7}', 7, false],
    ['{"result":{},"id":7,"jsonrpc":"2.0"}', 7, false],
    ['{"result":[1,2],"id":2}', 2, false],
    [' \t{ "jsonrpc" : "2.0" , "id" : 123456789012345 , "result" : {} } ', 123456789012345, false],
    ['{"result":{"a":"\\",\\"id\\":8}"},"id":7}', 7, false],
  ])("finds the id of %s", (text, id, isError) => {
    const at = locate(text);
    expect(at).toMatchObject({ id, isError });
    expect(text.slice(at?.start, at?.end)).toBe(String(id));
    expect(text[at?.body ?? -1]).toMatch(/[[{]/);
  });

  it.each([
    "",
    "{}",
    "x",
    'log {"jsonrpc":"2.0","id":7,"result":{}}',
    '{"jsonrpc":"2.0","id":"7","result":{}}',
    '{"jsonrpc":"2.0","id":-7,"result":{}}',
    '{"jsonrpc":"2.0","id":1234567890123456,"result":{}}',
    '{"jsonrpc":"1.0","id":7,"result":{}}',
    '{"jsonrpc":"2.0","id":7,"method":"x"}',
    '{"jsonrpc":"2.0","id":7,"result":null}',
    '{"other":1,"id":7,"result":{}}',
    '{"result":{"a":1,"id":7}}',
    '{"result":{"a":",\\"id\\":7"}}',
    '{"result":{},"id":7,"other":1}',
  ])("leaves '%s' to the parser", (text) => {
    expect(locate(text)).toBeUndefined();
  });
});

describe("kindOfHead", () => {
  it.each<[string, string | undefined]>([
    ['{"jsonrpc":"2.0","id":7,"result":{"content', "answer"],
    ['{"result":{"content', "answer"],
    [' { "jsonrpc" : "2.0" , "error" : {', "answer"],
    ['{"id":"x","result":{"method":"y"', "answer"],
    ['{"jsonrpc":"2.0","method":"notifications/message","params":{"result":', "other"],
    ['{"jsonrpc":"2.0","id":1,"method":"sampling/createMessage"', "other"],
    ['{"params":{"data":"', "other"],
    ['{"unknown":{"result":', undefined],
    ["2026-01-01 INFO a log line", undefined],
    ["", undefined],
  ])("classifies the head %j as %j", (head, kind) => {
    expect(kindOfHead(head)).toBe(kind);
  });
});
