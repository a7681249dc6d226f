import { describe, expect, it } from "vitest";
import { definitionHash, essentialHash, instructionsHash } from "./definition-hash.ts";

const TOOL = {
  name: "send",
  title: "Send",
  description: "Sends a message.\nReturns its id.",
  inputSchema: {
    type: "object",
    properties: {
      to: { type: ["string", "null"], title: "To", description: "Who  gets it" },
      kind: { enum: ["mail", "chat"], default: { title: "x", description: "a  b" } },
    },
    required: ["to", "kind"],
  },
  annotations: { title: "Send", readOnlyHint: false },
};

type Tool = Readonly<Record<string, unknown>>;
const definition = (tool: Tool): { text: string } => ({ text: JSON.stringify(tool) });
const hash = (tool: Tool): string => definitionHash(definition(tool));
const essential = (tool: Tool): string => essentialHash("tool", definition(tool));
const withSchema = (change: (schema: typeof TOOL.inputSchema) => unknown): Tool => ({
  ...TOOL,
  inputSchema: change(structuredClone(TOOL.inputSchema)),
});

describe("definitionHash", () => {
  it("is a SHA-256 that later versions must reproduce, because lock files store it", () => {
    expect(definitionHash({ text: '{"name":"a","inputSchema":{"type":"object"}}' })).toBe(
      "sha256-YNQ1PppUmbSD0J8T2eKAYOcPNO33h7twQLowvTkPha8=",
    );
  });

  it("ignores _meta and icons", () => {
    expect(hash({ ...TOOL, _meta: { a: 1 }, icons: [{ src: "x" }] })).toBe(hash(TOOL));
  });

  it("depends on members it does not know, because models read them", () => {
    const more = { ...TOOL, hint: "Call it first" };
    expect(hash(more)).not.toBe(hash(TOOL));
    expect(essential(more)).not.toBe(essential(TOOL));
  });

  it.each(["title", "description", "outputSchema", "annotations", "inputSchema", "name"])(
    "depends on the tool's %s",
    (key) => {
      expect(hash({ ...TOOL, [key]: { changed: true } })).not.toBe(hash(TOOL));
    },
  );

  it("depends on the members of prompts and resource templates", () => {
    const prompt = { name: "p", description: "d", arguments: [{ name: "a" }] };
    const template = { name: "t", uriTemplate: "file:///{x}", mimeType: "text/plain" };
    const prompts = [prompt, { ...prompt, arguments: [] }, { ...prompt, description: "e" }];
    const templates = [template, { ...template, uriTemplate: "http://{x}" }];
    const hashes = [
      ...prompts.map((item) => definitionHash(definition(item))),
      ...templates.map((item) => definitionHash(definition(item))),
    ];
    expect(new Set(hashes).size).toBe(5);
  });
});

describe("essentialHash", () => {
  it.each<[string, Tool]>([
    ["titles", { ...TOOL, title: "Other", annotations: { readOnlyHint: false, title: "Other" } }],
    ["a missing title", { ...TOOL, title: undefined }],
    ["white space", { ...TOOL, description: " Sends a\tmessage. Returns  its id.\n" }],
    [
      "titles and white space in schemas, and the order of enums",
      withSchema((schema) => {
        schema.properties.to.title = "Recipient";
        schema.properties.to.description = "Who gets\nit";
        schema.properties.to.type.reverse();
        schema.properties.kind.enum.reverse();
        schema.required.reverse();
        return schema;
      }),
    ],
  ])("ignores %s, which the full hash does not", (_, changed) => {
    expect(essential(changed)).toBe(essential(TOOL));
    expect(hash(changed)).not.toBe(hash(TOOL));
  });

  it.each<[string, Tool]>([
    ["a word of a description", { ...TOOL, description: "Sends a mail.\nReturns its id." }],
    ["an invisible character", { ...TOOL, description: `${TOOL.description}\u200b` }],
    ["a hint", { ...TOOL, annotations: { title: "Send", readOnlyHint: true } }],
    [
      "a default that looks like a schema",
      withSchema((schema) => {
        schema.properties.kind.default = { title: "y", description: "a b" };
        return schema;
      }),
    ],
    [
      "a property that is called title",
      withSchema((schema) => ({ ...schema, properties: { ...schema.properties, title: {} } })),
    ],
    ["a title that is not text", { ...TOOL, title: { text: "Send" } }],
  ])("depends on %s", (_, changed) => {
    expect(essential(changed)).not.toBe(essential(TOOL));
  });
});

describe("instructionsHash", () => {
  it("depends on every character", () => {
    expect(instructionsHash("a")).not.toBe(instructionsHash("a "));
  });
});
