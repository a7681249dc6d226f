/** A small host of MCP Apps: shows the page of a tool in a real browser, in a sandbox. */
import type { Page } from "playwright-core";
import { callTool, listTools, resultOf } from "./calls.ts";
import type { Params } from "./clients/json-rpc.ts";
import type { RawClient } from "./raw-client.ts";

/** Passes the calls of a page on, and gives it the result of its tool when it is ready. */
const HOST = `<!doctype html>
<title>Host</title>
<script>
  function show(html, toolResult) {
    const frame = document.createElement("iframe");
    frame.setAttribute("sandbox", "allow-scripts");
    const answers = {
      "ui/initialize": ({ protocolVersion }) => ({
        protocolVersion,
        hostInfo: { name: "host", version: "1.0.0" },
        hostCapabilities: { serverTools: {} },
        hostContext: {},
      }),
      "tools/call": ({ name, arguments: given }) => callTool(name, given ?? {}),
    };
    addEventListener("message", async ({ source, data }) => {
      if (source !== frame.contentWindow) return;
      const { id, method, params } = data;
      const send = (message) => source.postMessage({ jsonrpc: "2.0", ...message }, "*");
      if (method === "ui/notifications/initialized")
        send({ method: "ui/notifications/tool-result", params: toolResult });
      if (id === undefined || method === undefined) return;
      const answer = answers[method];
      if (answer) send({ id, result: await answer(params) });
      else send({ id, error: { code: -32601, message: "Method not found" } });
    });
    frame.srcdoc = html;
    document.body.append(frame);
  }
</script>
<body></body>`;

export interface ShownTool {
  /** The address of the page, as the client knows it. */
  readonly uri: string;
  readonly result: Params;
  /** The tools that the page has called. */
  readonly called: readonly string[];
}

/** Calls a tool by its native name, and shows its page. */
export async function showTool(page: Page, client: RawClient, name: string): Promise<ShownTool> {
  const tool = (await listTools(client)).find((one) => one.name === name);
  const { _meta: meta } = tool as unknown as { _meta: { ui: { resourceUri: string } } };
  const uri = meta.ui.resourceUri;
  const read = await client.request("resources/read", { uri });
  const [{ text: html }] = (read.result as unknown as { contents: [{ text: string }] }).contents;
  const result = resultOf(await callTool(client, name, {})) as unknown as Params;
  const called: string[] = [];
  await page.exposeFunction("callTool", async (own: string, args: Params) => {
    called.push(own);
    return resultOf(await callTool(client, own, args));
  });
  await page.setContent(HOST);
  await page.evaluate(`show(${JSON.stringify(html)}, ${JSON.stringify(result)})`);
  return { uri, result, called };
}
