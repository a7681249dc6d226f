/**
 * A page of a server behind the workbench, shown by a small host in a real browser. In the full suite
 * because it starts a browser.
 */
import { describe, expect, it } from "vitest";
import { callTool, listTools, resultOf, searchTools } from "../support/calls.ts";
import { HAS_BROWSER, openPage, sharedBrowser } from "../support/browser.ts";
import type { Params } from "../support/clients/json-rpc.ts";
import { perTest } from "../support/disposables.ts";
import { dev, extended } from "../support/servers.ts";
import { startWorkbench } from "../support/workbench.ts";

const cleanup = perTest();

/** Shows a page in a sandbox, and passes its calls of tools on, as hosts of MCP Apps do. */
const HOST = `<!doctype html>
<title>Host</title>
<script>
  function show(html) {
    const frame = document.createElement("iframe");
    frame.setAttribute("sandbox", "allow-scripts");
    addEventListener("message", async ({ source, data }) => {
      if (source !== frame.contentWindow || data.method !== "tools/call") return;
      const result = await callTool(data.params.name, data.params.arguments);
      source.postMessage({ jsonrpc: "2.0", id: data.id, result }, "*");
    });
    frame.srcdoc = html;
    document.body.append(frame);
  }
</script>
<body></body>`;

describe.skipIf(!HAS_BROWSER)("a host of MCP Apps in front of the workbench", () => {
  const browser = sharedBrowser();

  it("shows the page of a tool, which calls a tool of its server", async () => {
    const capabilities = { extensions: { "io.modelcontextprotocol/ui": {} } };
    const config = dev({ charts: extended("--apps") });
    const { client } = await startWorkbench(cleanup, config, { capabilities });
    await searchTools(client, "bar chart");
    const tool = (await listTools(client)).find(({ name }) => name === "dev__charts__show_chart");
    const meta = (tool as unknown as { _meta: { ui: { resourceUri: string } } })._meta;
    const { result } = await client.request("resources/read", { uri: meta.ui.resourceUri });
    const [{ text: html }] = (result as unknown as { contents: [{ text: string }] }).contents;

    const { page, problems } = await openPage(cleanup, browser(), "about:");
    const called: string[] = [];
    await page.exposeFunction("callTool", async (name: string, args: Params) => {
      called.push(name);
      return resultOf(await callTool(client, name, args));
    });
    await page.setContent(HOST);
    await page.evaluate(`show(${JSON.stringify(html)})`);
    const shown = page.frameLocator("iframe").locator("#result", { hasText: "refreshed" });
    await shown.waitFor();
    expect(await shown.textContent()).toBe("refreshed");
    expect(called).toEqual(["refresh_chart"]);
    expect(problems).toEqual([]);
  });
});
