import { describe, expect, it } from "vitest";
import { isVisibleTo, pageOf, supportsUi } from "./ui-extension.ts";

const URI = "ui://chart";

describe("the page of a tool", () => {
  it.each([
    ["under the key of the extension", { ui: { resourceUri: URI } }, URI],
    ["under the key of earlier drafts", { "ui/resourceUri": URI }, URI],
    ["under the key of a vendor", { "openai/outputTemplate": URI }, URI],
    ["under two keys", { ui: { resourceUri: URI }, "openai/outputTemplate": "ui://other" }, URI],
    ["with another scheme", { ui: { resourceUri: "https://example.com" } }, undefined],
    ["that is not a string", { ui: { resourceUri: 1 } }, undefined],
    ["that is missing", { ui: {} }, undefined],
  ])("is found, or not: %s", (_case, meta, uri) => {
    expect(pageOf({ _meta: meta })).toBe(uri);
  });
});

describe("the visibility of a tool", () => {
  it.each([
    ["by default", undefined, true, true],
    ["for both", { ui: { visibility: ["model", "app"] } }, true, true],
    ["for pages only", { ui: { visibility: ["app"] } }, false, true],
    ["for the model only", { ui: { visibility: ["model"] } }, true, false],
    ["for neither", { ui: { visibility: [] } }, false, false],
    ["in the form of earlier drafts", { "ui/visibility": ["app"] }, false, true],
    ["that is a text", { ui: { visibility: "app" } }, false, true],
    ["that is not a list", { ui: { visibility: 1 } }, false, false],
    ["stated twice", { ui: { visibility: ["model"] }, "ui/visibility": ["app"] }, false, false],
  ])("is read %s", (_case, meta, model, app) => {
    const tool = { _meta: meta };
    expect([isVisibleTo("model", tool), isVisibleTo("app", tool)]).toEqual([model, app]);
  });
});

it("the extension for pages is supported by clients that declare it", () => {
  expect(supportsUi({ extensions: { "io.modelcontextprotocol/ui": {} } })).toBe(true);
  expect(supportsUi({ extensions: { "io.modelcontextprotocol/ui": true } })).toBe(false);
  expect(supportsUi({ extensions: {} })).toBe(false);
  expect(supportsUi({})).toBe(false);
});
