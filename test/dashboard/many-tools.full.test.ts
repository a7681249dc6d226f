/** The dashboard with 5,000 tools, in a real browser. Prints the time until they are shown, on this machine. */
import { describe, expect, it } from "vitest";
import { useToolParams } from "../support/calls.ts";
import { HAS_BROWSER, openPage, sharedBrowser } from "../support/browser.ts";
import { dashboardLink, goTo } from "../support/dashboard.ts";
import { perBlock } from "../support/disposables.ts";
import { startHttpWorkbench } from "../support/http-workbench.ts";
import { scriptServer } from "../support/script-server.ts";
import { dev } from "../support/servers.ts";

const SERVERS = 10;
const TOOLS = 500;

const PROGRAM = `
const own = process.argv[2];
const tools = Array.from({ length: ${TOOLS} }, (_, i) => ({
  name: "tool_" + own + "_" + i,
  description: "Reads record number " + i + " of collection " + own + " and returns it as text.",
  inputSchema: { type: "object", properties: { id: { type: "string" }, limit: { type: "integer" } } },
}));
serve({ ...legacy({ tools: {} }), "tools/list": () => ({ tools }) });
`;

describe.skipIf(!HAS_BROWSER)("5,000 tools", () => {
  const cleanup = perBlock();
  const browser = sharedBrowser();

  it("are listed, scrolled and searched without a row for each of them", async () => {
    const { command, args = [] } = scriptServer(cleanup, PROGRAM);
    const servers = Array.from({ length: SERVERS }, (_, i) => [
      `s${i}`,
      { command, args: [...args, String(i)] },
    ]);
    const workbench = await startHttpWorkbench(cleanup, dev(Object.fromEntries(servers)));
    const client = workbench.client();
    await client.initialize();
    for (let i = 0; i < SERVERS; i++)
      await client.ask("tools/call", useToolParams(`dev/s${i}/tool_${i}_0`, {}));

    const observed = await openPage(cleanup, browser(), workbench.url);
    const { page } = observed;
    const rows = page.getByRole("listitem").filter({ hasText: "tool_" });
    await page.goto(dashboardLink(workbench));
    await page.getByRole("heading", { level: 1, name: "Servers" }).waitFor();
    const opened = Number(await page.evaluate("performance.now()"));
    await goTo(page, "Tools");
    await page.getByText("5,000 tools").waitFor();
    await page.reload();
    await rows.first().waitFor();
    const listed = Number(await page.evaluate("performance.now()"));
    console.log(
      `5,000 tools: the dashboard is shown after ${Math.round(opened)} ms, the list of tools after ${Math.round(listed)} ms`,
    );
    expect(await rows.count()).toBeLessThan(60);

    await page.evaluate(`document.querySelector(".window").scrollTo(0, 1e9)`);
    await page.getByText("tool_9_499").waitFor();
    expect(await rows.count()).toBeLessThan(60);
    await page.getByRole("searchbox").fill("tool_7_123");
    await page.getByText(/the best match first/).waitFor();
    await rows.first().filter({ hasText: "tool_7_123" }).waitFor();
    expect(observed.problems).toEqual([]);
  });
});
