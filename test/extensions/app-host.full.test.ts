/**
 * Pages of servers behind the workbench, shown by a small host in a real browser: of a fixture, and of a
 * published server. In the full suite because it starts a browser and downloads the server.
 */
import { beforeAll, describe, expect, it } from "vitest";
import { INSTALL_ALL_MS, installAll, programOf } from "../real/install.ts";
import { APP_SERVER } from "../real/packages.ts";
import { showTool } from "../support/app-host.ts";
import { HAS_BROWSER, openPage, sharedBrowser } from "../support/browser.ts";
import { perTest } from "../support/disposables.ts";
import { searchAllServers } from "../support/search.ts";
import { dev, extended } from "../support/servers.ts";
import { startWorkbench } from "../support/workbench.ts";

const cleanup = perTest();
const capabilities = { extensions: { "io.modelcontextprotocol/ui": {} } };

describe.skipIf(!HAS_BROWSER)("a host of MCP Apps in front of the workbench", () => {
  const browser = sharedBrowser();
  beforeAll(() => installAll([APP_SERVER]), INSTALL_ALL_MS);

  it("shows the page of a tool, which calls a tool of its server", async () => {
    const config = dev({ charts: extended("--apps") });
    const { client } = await startWorkbench(cleanup, config, { capabilities });
    await searchAllServers(client, "bar chart");
    const { page, problems } = await openPage(cleanup, browser(), "about:");
    const { called } = await showTool(page, client, "dev__charts__show_chart");
    const shown = page.frameLocator("iframe").locator("#result", { hasText: "refreshed" });
    await shown.waitFor();
    expect(await shown.textContent()).toBe("refreshed");
    expect(called).toEqual(["refresh_chart"]);
    expect(problems).toEqual([]);
  });

  it("shows the page of a published server, with its result and a second call", async (context) => {
    const clock = { command: programOf(APP_SERVER, context), args: ["--stdio"] };
    const { client } = await startWorkbench(cleanup, dev({ clock }), { capabilities });
    await searchAllServers(client, "server time");
    const { page, problems } = await openPage(cleanup, browser(), "about:");
    const { uri, result, called } = await showTool(page, client, "dev__clock__get-time");
    expect(uri).toBe("ui://dev.clock/get-time/mcp-app.html");
    const { time } = result["structuredContent"] as { time: string };
    const frame = page.frameLocator("iframe");
    await frame.locator("#server-time", { hasText: time }).waitFor();
    await frame.locator("#get-time-btn").click();
    const later = frame
      .locator("#server-time", { hasNotText: time })
      .filter({ hasText: /^\d{4}-/ });
    await later.waitFor();
    expect(called).toEqual(["get-time"]);
    expect(problems).toEqual([]);
  });
});
