// What the fixture servers of the fidelity matrix offer, as data: the servers list it and the tests
// expect exactly it. Everything the protocol lets a definition carry is carried by at least one.

import { createHash } from "node:crypto";

export const TINY_PNG =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

export const ICONS = [
  { src: "https://example.com/icon.png", mimeType: "image/png", sizes: ["48x48"], theme: "dark" },
];

export const SERVER_INFO = {
  name: "fidelity-fixture",
  title: "Fidelity fixture",
  version: "1.2.3",
  websiteUrl: "https://example.com/fixture",
  description: "Offers one of everything",
  icons: ICONS,
};

export const INSTRUCTIONS = "Call `told` to see what reaches this server.\nLine two — “quoted”.";

const NOTHING = { type: "object", properties: {} };

function tool(name, properties = {}, more = {}) {
  const required = Object.keys(properties);
  return {
    name,
    description: `Tool ${name} of the fixture`,
    inputSchema: required.length > 0 ? { type: "object", properties, required } : NOTHING,
    ...more,
  };
}

const STRING = { type: "string" };

/** The tool that carries everything a definition can. */
export const RICH_TOOL = tool(
  "structured",
  {},
  {
    title: "Structured result",
    icons: ICONS,
    annotations: {
      title: "Structured",
      readOnlyHint: true,
      destructiveHint: false,
      idempotentHint: true,
      openWorldHint: false,
    },
    inputSchema: {
      $schema: "https://json-schema.org/draft/2020-12/schema",
      type: "object",
      properties: { unit: { $ref: "#/$defs/unit" } },
      $defs: { unit: { type: "string", enum: ["C", "F"], default: "C" } },
      additionalProperties: false,
    },
    outputSchema: {
      type: "object",
      properties: { degrees: { type: "number" }, unit: STRING },
      required: ["degrees", "unit"],
    },
    _meta: { "fixture/definition": { nested: [1, null, "x"] } },
  },
);

export const TOOLS = [
  tool("echo", { text: STRING }),
  tool("content"),
  RICH_TOOL,
  tool("fails"),
  tool("rpc_error"),
  tool("told"),
  tool("progress", { steps: { type: "number" } }),
  tool("wait", { nonce: STRING }),
  tool("log"),
  tool("touch", { uri: STRING }),
  tool("change", { kind: STRING, on: { type: "boolean" } }),
  tool("announce"),
  tool("ask", { what: STRING }),
  tool("ask_rounds"),
  tool("ask_many"),
  tool("go_on", { hold: STRING }),
];

/** Further tools of the server that is made without an SDK. */
export const TASK_TOOL = tool("task");
export const EXOTIC_TOOL = tool("exotic", {}, { "x-unheard-of": { kept: [1.5, null] } });

export const EXTRA_TOOL = tool("extra_tool");

/** MCP Apps: a page, a tool with it, and a tool that only pages may use. They come and go. */
export const PAGE_URI = "ui://fixture/view";
export const PAGE = { uri: PAGE_URI, name: "view", mimeType: "text/html;profile=mcp-app" };
export const APP_TOOLS = [
  tool("show", {}, { _meta: { ui: { resourceUri: PAGE_URI }, "ui/resourceUri": PAGE_URI } }),
  tool("refresh", {}, { _meta: { ui: { visibility: ["app"] } } }),
];

export const SKILLS_EXTENSION = "io.modelcontextprotocol/skills";
const SKILL_URI = "skill://kept-bytes/SKILL.md";
const SKILL_TEXT = "---\nname: kept-bytes\ndescription: Keeps — every “byte”\n---\n\nText\r\n";
export const SKILL = {
  uri: SKILL_URI,
  frontmatter: { name: "kept-bytes", description: "Keeps — every “byte”" },
  resources: [
    {
      uri: SKILL_URI,
      digest: `sha256:${createHash("sha256").update(SKILL_TEXT).digest("hex")}`,
      size: Buffer.byteLength(SKILL_TEXT),
    },
  ],
};

export const PROMPTS = [
  {
    name: "greet",
    title: "Greeting",
    description: "Greets in a language",
    icons: ICONS,
    arguments: [
      { name: "language", description: "In which language", required: true },
      { name: "tone", description: "How", required: false },
    ],
    _meta: { "fixture/prompt": true },
  },
  { name: "plain", description: "Needs nothing" },
  { name: "rich", description: "Carries an image and a resource" },
  { name: "ask", arguments: [{ name: "what", required: true }] },
];

export const EXTRA_PROMPT = { name: "extra_prompt", description: "Comes and goes" };

export const RESOURCES = [
  {
    uri: "fixture://text",
    name: "text",
    title: "A text",
    description: "Plain text",
    mimeType: "text/plain",
    size: 11,
    icons: ICONS,
    annotations: { audience: ["user"], priority: 0.5, lastModified: "2026-01-02T03:04:05Z" },
    _meta: { "fixture/resource": 1 },
  },
  { uri: "fixture://blob", name: "blob", mimeType: "application/octet-stream" },
  { uri: "fixture://watched", name: "watched" },
];

export const EXTRA_RESOURCE = { uri: "fixture://extra", name: "extra" };

export const RESOURCE_TEMPLATES = [
  {
    uriTemplate: "fixture://item/{id}",
    name: "item",
    title: "An item",
    description: "An item by its number",
    mimeType: "application/json",
    icons: ICONS,
    annotations: { priority: 1 },
    _meta: { "fixture/template": "yes" },
  },
  { uriTemplate: "fixture://ask/{what}", name: "ask" },
  { uriTemplate: "fixture://path/{+path}", name: "path" },
];

export const CONTENTS = {
  [PAGE_URI]: { uri: PAGE_URI, mimeType: PAGE.mimeType, text: "<p>“Page”</p>" },
  [SKILL_URI]: { uri: SKILL_URI, mimeType: "text/markdown", text: SKILL_TEXT },
  "fixture://text": { uri: "fixture://text", mimeType: "text/plain", text: "hello world" },
  "fixture://blob": {
    uri: "fixture://blob",
    mimeType: "application/octet-stream",
    blob: "AAEC/w==",
  },
  "fixture://watched": { uri: "fixture://watched", text: "watched" },
  "fixture://extra": { uri: "fixture://extra", text: "extra" },
};

/** One block of each kind, in the result of `content`. */
export const BLOCKS = [
  {
    type: "text",
    text: 'été 🎈 \u2028 "quoted"',
    annotations: { audience: ["assistant"], priority: 1, lastModified: "2026-01-02T03:04:05Z" },
    _meta: { "fixture/block": 1 },
  },
  { type: "image", data: TINY_PNG, mimeType: "image/png", annotations: { priority: 0.25 } },
  { type: "audio", data: "UklGRg==", mimeType: "audio/wav" },
  {
    type: "resource_link",
    uri: "fixture://text",
    name: "text",
    title: "A text",
    description: "Where the text is",
    mimeType: "text/plain",
    size: 11,
    icons: ICONS,
  },
  { type: "resource", resource: CONTENTS["fixture://text"], annotations: { audience: ["user"] } },
  { type: "resource", resource: CONTENTS["fixture://blob"] },
];

/**
 * A block type that no version of the protocol defines; only a server without an SDK can send it.
 */
export const UNKNOWN_BLOCK = { type: "hologram", voxels: [[0, 1]], "x-note": null };

export const RESULT_META = { "fixture/result": "kept", nested: { deep: [null, 1.5] } };

export const RPC_ERROR = {
  code: -32050,
  message: "refused on purpose",
  data: { why: ["asked", { deep: null }], retry: false },
};

export const STRUCTURED = { degrees: 21.5, unit: "C" };

/** The fixture's requests to a client, by the name that triggers them. */
export const QUESTIONS = {
  form: {
    method: "elicitation/create",
    params: {
      mode: "form",
      message: "Who are you?",
      requestedSchema: {
        type: "object",
        properties: {
          name: { type: "string", title: "Name", description: "Yours", minLength: 1 },
          age: { type: "integer", minimum: 0, default: 42 },
          color: { type: "string", enum: ["red", "green"] },
        },
        required: ["name"],
      },
    },
  },
  url: {
    method: "elicitation/create",
    params: { mode: "url", message: "Please log in", url: "https://example.com/login?state=1" },
  },
  sampling: {
    method: "sampling/createMessage",
    params: {
      messages: [{ role: "user", content: { type: "text", text: "Say something" } }],
      systemPrompt: "Be brief",
      maxTokens: 50,
      temperature: 0.5,
      modelPreferences: { hints: [{ name: "small" }], speedPriority: 1 },
    },
  },
  roots: { method: "roots/list", params: {} },
};

export const LANGUAGES = ["german", "greek", "french"];

/** How many entries of a list fit on a page. */
export const PAGE_SIZE = 2;

export const CACHE_HINTS = { ttlMs: 60_000, cacheScope: "public" };
