/** A server that puts markup into everything it says. */
import type { Disposables } from "./disposables.ts";
import { scriptServer } from "./script-server.ts";
import type { ServerEntry } from "./servers.ts";

/** Runs a dialog wherever it is taken for markup, and ends most elements it may be in. */
export const MARKUP = `"'></textarea></title></script><img src=x onerror=alert(1)><script>alert(2)</script><svg onload=alert(3)><a href="javascript:alert(4)">x</a>`;

/** A tool name with markup; clients accept any text. */
export const HOSTILE_TOOL = "<img src=x onerror=alert(5)>";

const PROGRAM = `
const markup = ${JSON.stringify(MARKUP)};
const say = (where) => where + " " + markup;
process.stderr.write(say("stderr") + "\\n");
const inputSchema = {
  type: "object",
  title: say("schema title"),
  properties: {
    [say("property")]: { type: "string", title: say("property title"), description: say("property description") },
    kind: { enum: [say("choice"), "ok"], default: say("choice") },
    text: { type: "string", default: say("default"), format: say("format"), pattern: say("pattern") },
    list: { type: "array", items: { type: "string" }, default: [say("item")], description: say("list") },
    any: { default: { [markup]: markup }, description: say("any") },
  },
};
const tool = (name) => ({
  name,
  title: say("tool title"),
  description: say("tool description"),
  inputSchema,
  annotations: { title: say("annotation") },
});
serve({
  initialize: () => ({
    protocolVersion: "2025-11-25",
    capabilities: { tools: {}, prompts: {}, resources: {}, logging: {} },
    serverInfo: { name: say("server name"), title: say("server title"), version: say("version") },
    instructions: say("instructions"),
  }),
  "tools/list": () => ({ tools: [tool(${JSON.stringify(HOSTILE_TOOL)}), tool("result"), tool("failure"), tool("error"), tool("crash")] }),
  "prompts/list": () => ({ prompts: [{ name: say("prompt"), title: markup, description: say("prompt description"), arguments: [{ name: markup }] }] }),
  "resources/list": () => ({ resources: [] }),
  "resources/templates/list": () => ({ resourceTemplates: [{ name: say("template"), uriTemplate: "x:///{id}" }] }),
  "tools/call": ({ name }, id) => {
    send({ method: "notifications/message", params: { level: "error", logger: markup, data: say("log message") } });
    if (name === "crash") {
      process.stderr.write(say("crash reason") + "\\n");
      process.exitCode = 1;
      process.exit();
    }
    if (name === "error") return void send({ id, error: { code: -32000, message: say("error message"), data: markup } });
    const content = [
      { type: "text", text: say(name === "failure" ? "failure text" : "result text") },
      { type: "image", data: "AAAA", mimeType: say("mime type") },
      { type: markup, text: markup },
      { type: "resource", resource: { uri: "x:" + markup, mimeType: "text/html", text: say("resource text") } },
    ];
    return { content, structuredContent: { [markup]: say("structured value") }, isError: name === "failure" };
  },
});
`;

export function hostileServer(disposables: Disposables): ServerEntry {
  return scriptServer(disposables, PROGRAM);
}
