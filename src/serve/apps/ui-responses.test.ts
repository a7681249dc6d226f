import { describe, expect, it } from "vitest";
import { Line } from "../../wire/lines.ts";
import { type ServerResponse, readServerLine } from "../../wire/response.ts";
import { definitionWithoutUi } from "./ui-meta.ts";
import { contentsFor, listWithoutUi, uiResultFor } from "./ui-responses.ts";

const place = { toolbox: "dev", server: "charts" };

function responseWith(result: string): ServerResponse {
  const read = readServerLine(Line.of(`{"jsonrpc":"2.0","id":7,"result":${result}}`));
  if (read.kind !== "answer") throw new Error("not an answer");
  return read.response;
}

const resultIn = (response: ServerResponse): string =>
  response.withId("7").slice('{"jsonrpc":"2.0","id":7,"result":'.length, -1);

describe("a result about a page", () => {
  it("gets the client's URIs under both keys, and keeps all other bytes", () => {
    const written = `{"content": [ {"type":"text","text":"ui://a"} ], "_meta":{"n":1.0,"ui":{"x":1e3,"resourceUri":"ui:\\u002f/a"},"ui/resourceUri":"ui://b"}}`;
    expect(resultIn(uiResultFor(responseWith(written), place))).toBe(
      `{"content": [ {"type":"text","text":"ui://a"} ], "_meta":{"n":1.0,"ui":{"x":1e3,"resourceUri":"ui://dev.charts/a"},"ui/resourceUri":"ui://dev.charts/b"}}`,
    );
  });

  it("gets them in links and contained pages", () => {
    const written = `{"content":[{"type":"resource_link","uri":"ui://a"},{"type":"resource","resource":{"uri":"ui://b","text":""}},{"type":"resource_link","uri":"file:///ui://c"}]}`;
    expect(resultIn(uiResultFor(responseWith(written), place))).toBe(
      `{"content":[{"type":"resource_link","uri":"ui://dev.charts/a"},{"type":"resource","resource":{"uri":"ui://dev.charts/b","text":""}},{"type":"resource_link","uri":"file:///ui://c"}]}`,
    );
  });

  it("may have slashes that are written as escapes", () => {
    const link = String.raw`{"type":"resource_link","uri":"ui:\/\/a\/b"}`;
    const page = String.raw`{"type":"resource","resource":{"uri":"ui:\/\/b","text":"<\/p>"}}`;
    const meta = String.raw`{"ui\/resourceUri":"ui:\/\/c","n":1.0}`;
    const written = `{"content":[${link},${page}],"_meta":${meta}}`;
    expect(resultIn(uiResultFor(responseWith(written), place))).toBe(
      String.raw`{"content":[{"type":"resource_link","uri":"ui://dev.charts/a/b"},{"type":"resource","resource":{"uri":"ui://dev.charts/b","text":"<\/p>"}}],"_meta":{"ui\/resourceUri":"ui://dev.charts/c","n":1.0}}`,
    );
    expect(resultIn(uiResultFor(responseWith(written), undefined))).toBe(
      `{"content":[${page}],"_meta":{"n":1.0}}`,
    );
    const definition = String.raw`{"name":"a","_meta":{"openai\/outputTemplate":"ui:\/\/a"}}`;
    expect(definitionWithoutUi(definition)).toBe(`{"name":"a"}`);
  });

  it("has nothing about pages for other clients", () => {
    const written = `{"content":[],"_meta":{"ui":{"resourceUri":"ui://a"},"n":1.0,"ui/resourceUri":"ui://b"}}`;
    expect(resultIn(uiResultFor(responseWith(written), undefined))).toBe(
      `{"content":[],"_meta":{"n":1.0}}`,
    );
  });

  it("has nothing of a vendor about pages for other clients", () => {
    const written = `{"content":[],"_meta":{"openai/outputTemplate":"ui://a","openai/widgetCSP":{},"openai/toolInvocation/invoking":"Drawing"}}`;
    expect(resultIn(uiResultFor(responseWith(written), undefined))).toBe(
      `{"content":[],"_meta":{"openai/toolInvocation/invoking":"Drawing"}}`,
    );
    const definition = `{"name":"a","_meta":{"openai/outputTemplate":"https://a.example"}}`;
    expect(definitionWithoutUi(definition)).toBe(`{"name":"a"}`);
  });

  it("has no links to pages for other clients, but keeps the pages that it contains", () => {
    const page = '{"type":"resource","resource":{"uri":"ui://b","text":"<p>"}}';
    const written = `{"content":[{"type":"text","text":"ui://a, a resource_link"}, {"type":"resource_link","uri":"ui://a","name":"a"},${page}]}`;
    expect(resultIn(uiResultFor(responseWith(written), undefined))).toBe(
      `{"content":[{"type":"text","text":"ui://a, a resource_link"},${page}]}`,
    );
  });

  it("gets them where a vendor's clients look for the page", () => {
    const written = `{"content":[],"_meta":{"openai/outputTemplate":"ui://a","openai/other":1.0}}`;
    expect(resultIn(uiResultFor(responseWith(written), place))).toBe(
      `{"content":[],"_meta":{"openai/outputTemplate":"ui://dev.charts/a","openai/other":1.0}}`,
    );
  });

  it.each(['{"content":[]}', "[]", '{"_meta":null,"content":1}'])(
    "stays as it is: %s",
    (written) => {
      expect(resultIn(uiResultFor(responseWith(written), place))).toBe(written);
    },
  );
});

it("the contents of a page have the URI under which the client reads it", () => {
  const written = `{"contents":[{"uri":"ui://a","text":"<p>ui://a</p>"},{"uri":"file:///b"}]}`;
  expect(resultIn(contentsFor(responseWith(written), place))).toBe(
    `{"contents":[{"uri":"ui://dev.charts/a","text":"<p>ui://a</p>"},{"uri":"file:///b"}]}`,
  );
});

it("a list for other clients has neither pages nor tools for them", () => {
  const tools = [
    { name: "a", _meta: { ui: { resourceUri: "ui://a" } } },
    { name: "b", _meta: { ui: { visibility: ["app"] } } },
    { name: "c", _meta: { kept: 1, "ui/resourceUri": "ui://a" } },
  ];
  const listed = listWithoutUi(responseWith(JSON.stringify({ tools, nextCursor: "1" })), "tools");
  expect(JSON.parse(resultIn(listed))).toEqual({
    tools: [{ name: "a" }, { name: "c", _meta: { kept: 1 } }],
    nextCursor: "1",
  });
  const resources = [{ uri: "ui://a" }, { uri: "file:///b" }];
  const rest = listWithoutUi(responseWith(JSON.stringify({ resources })), "resources");
  expect(resultIn(rest)).toBe('{"resources":[{"uri":"file:///b"}]}');
});
