/** A server whose tools are unusual in every respect that a form or a list has to cope with. */
import type { Disposables } from "./disposables.ts";
import { scriptServer } from "./script-server.ts";
import type { ServerEntry } from "./servers.ts";

/** Names that are no words: half a character, a path, an address, a member of every object, hidden characters. */
export const ODD_NAMES = [
  "\ud800",
  "../../ui/logout",
  "a?b#c%2F&d=1",
  "__proto__",
  "re\u202everse",
  "zero\u200bwidth",
];

/** More digits than a number of JavaScript has. */
export const EXACT = "12345678901234567890";

const PROGRAM = `
let received = "";
process.stdin.on("data", (chunk) => (received = String(chunk)));
const text = (text) => ({ content: [{ type: "text", text }] });
const tool = (name, inputSchema, more) => ({ name, inputSchema, annotations: { readOnlyHint: true }, ...more });
const object = (properties, more) => ({ type: "object", properties, ...more });
const node = { type: "object", properties: { value: { type: "string" }, next: { $ref: "#/$defs/node" }, all: { type: "array", items: { $ref: "#/$defs/node" } } } };
const tools = [
  ...${JSON.stringify(ODD_NAMES)}.map((name) => tool(name, object({}))),
  tool("proto", JSON.parse('{"type":"object","properties":{"__proto__":{"type":"string"},"constructor":{"type":"string"}},"required":["__proto__"]}')),
  tool("cyclic", { type: "object", $defs: { node, loop: { $ref: "#/$defs/loop" } }, properties: { node: { $ref: "#/$defs/node" }, loop: { $ref: "#/$defs/loop" } } }),
  tool("wide", object(Object.fromEntries(Array.from({ length: 3000 }, (_, i) => ["field_" + i, { type: "string", description: "x".repeat(300) }])))),
  tool("long", object({ hidden: { type: "string", default: "safe\\u202etxt.exe" } }), { description: "y".repeat(1_000_000) }),
  tool("exact", object({ id: { type: "integer" }, more: {} })),
  tool("kinds", object({
    word: { type: "string", minLength: 2, default: "ok" },
    level: { oneOf: [{ const: "low", title: "Low" }, { const: "high", title: "High" }] },
    count: { type: "integer", minimum: 1, maximum: 9, default: 3 },
    ratio: { type: ["number", "null"] },
    on: { type: "boolean" },
    either: { anyOf: [{ type: "string" }, { type: "array", items: { type: "string" } }] },
    tags: { type: "array", items: { type: "string" }, maxItems: 2 },
    place: object({ city: { type: "string" }, zip: { type: "string" } }, { required: ["city"] }),
  }, { required: ["word", "level"] })),
  tool("ten_megabytes", object({})),
  tool("asks", object({})),
  tool("waits", object({})),
];
onNotification("notifications/cancelled", () => process.stderr.write("the call was cancelled\\n"));
serve({
  ...legacy({ tools: {} }),
  "tools/list": () => ({ tools }),
  "tools/call": ({ name }, id) => {
    if (name === "ten_megabytes") return text("z".repeat(10_000_000));
    if (name === "waits") return undefined;
    if (name === "asks") {
      onResponse(({ result }) => send({ id, result: text("answered: " + JSON.stringify(result)) }));
      return void send({ id: "q", method: "elicitation/create", params: { message: "Sure?", requestedSchema: object({}) } });
    }
    if (name !== "exact") return text(received.match(/"arguments":(.*?)(?:,"_meta".*)?\\}\\}\\n$/)?.[1] ?? received);
    process.stdout.write('{"jsonrpc":"2.0","id":' + JSON.stringify(id) + ',"result":{"content":[],"structuredContent":{"id":${EXACT},"sent":' + JSON.stringify(received) + '}}}\\n');
    return undefined;
  },
});
`;

export function oddServer(disposables: Disposables): ServerEntry {
  return scriptServer(disposables, PROGRAM);
}
