/**
 * Markup in every text that comes from servers and clients, in a real browser: it is shown as text on every page, no
 * script runs and the content policy has nothing to stop. `npm test` checks that the source uses text nodes only.
 */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { beforeAll, describe, expect, it } from "vitest";
import { useToolParams } from "../support/calls.ts";
import { HAS_BROWSER, type ObservedPage, sharedBrowser } from "../support/browser.ts";
import { goTo, isLoaded, openDashboard, textOf } from "../support/dashboard.ts";
import { perBlock } from "../support/disposables.ts";
import { HOSTILE_TOOL, hostileServer, MARKUP } from "../support/hostile-server.ts";
import { type HttpClient, LEGACY } from "../support/http-client.ts";
import { type HttpWorkbench, startHttpWorkbench } from "../support/http-workbench.ts";
import { takePicture } from "../support/screenshots.ts";
import { dev } from "../support/servers.ts";

describe.skipIf(!HAS_BROWSER)("markup from a server", () => {
  const cleanup = perBlock();
  const browser = sharedBrowser();
  let workbench: HttpWorkbench;
  let observed: ObservedPage;
  let page: Page;
  let client: HttpClient;

  beforeAll(async () => {
    const bad = { ...hostileServer(cleanup), overrides: { result: { class: "read" } } };
    const rules = [{ tools: ["bad/error"], action: "ask", reason: `reason ${MARKUP}` }];
    const config = { ...dev({ bad }), policy: { rules }, dashboard: { payloads: true } };
    workbench = await startHttpWorkbench(cleanup, config, {
      // Something else is approved, so that every definition is a difference.
      before: ({ dir }) =>
        writeFileSync(join(dir, "workbench-lock.json"), '{"lockfileVersion":1,"servers":{}}\n'),
    });
    observed = await openDashboard(cleanup, browser(), workbench);
    ({ page } = observed);
    client = workbench.client();
    const clientInfo = { name: `client ${MARKUP}`, version: MARKUP };
    const hello = { protocolVersion: LEGACY, capabilities: {}, clientInfo };
    const { headers } = await client.request("initialize", hello).done();
    client.sessionId = String(headers["mcp-session-id"]);
    await client.notify("notifications/initialized");
  });

  const call = (name: string) =>
    client.ask("tools/call", useToolParams(`dev/bad/${name}`, { [MARKUP]: MARKUP }));
  const show = async (place: string, heading: string): Promise<void> => {
    await page.goto(`${workbench.url}/ui/#/${place}`);
    await page.getByRole("heading", { name: heading }).first().waitFor();
    await isLoaded(page);
  };

  /** What is wrong on a page once it shows these texts: elements that they became, scripts that ran. */
  async function faults(...texts: string[]): Promise<string[]> {
    for (const text of texts) await page.getByText(text).first().waitFor({ state: "attached" });
    const selector =
      "img, svg, iframe, object, main script, [onload], [onerror], a[href^=javascript]";
    const elements = await page.locator(selector).all();
    return [...observed.problems, ...elements.map(String)];
  }

  it("is text in tools and in the form for their arguments", async () => {
    await call("result");
    await goTo(page, "Tools");
    await page.getByRole("listitem").getByText(HOSTILE_TOOL).waitFor();
    await show(`tools/dev/bad/${encodeURIComponent(HOSTILE_TOOL)}`, HOSTILE_TOOL);
    await takePicture(page, "markup");
    expect(
      await faults(
        "tool title",
        "tool description",
        "property description",
        "choice",
        "list",
        "any",
      ),
    ).toEqual([]);
    await page.getByText("Definition", { exact: true }).click();
    expect(await faults("annotation")).toEqual([]);
    expect(await textOf(page)).toContain("<script>alert(2)</script>");
  });

  it.each([
    ["result", ["result text", "mime type", "structured value"]],
    ["failure", ["failure text"]],
    ["crash", []],
  ])("is text in what a call of %s returns", async (name, texts) => {
    await show(`tools/dev/bad/${name}`, name);
    await page.getByRole("button", { name: "Call the tool" }).click();
    const confirm = page.getByRole("dialog").getByRole("button", { name: "Call the tool" });
    if (name !== "result") await confirm.click();
    await page.getByRole("heading", { name: "Result" }).waitFor();
    expect(await faults(...texts)).toEqual([]);
  });

  it("is text in approvals", async () => {
    const answer = call("error");
    await goTo(page, "Approvals");
    expect(await faults("<img src=x", "reason")).toEqual([]);
    await page.getByRole("button", { name: "Allow once" }).click();
    await answer;
    expect(await faults()).toEqual([]);
  });

  it("is text in definitions, servers, calls and logs", async () => {
    await call("failure");
    await goTo(page, "Definitions");
    expect(await faults()).toEqual([]);
    await show("definitions/dev/bad", "Definitions of dev/bad");
    await page.getByRole("button", { name: "Approve everything" }).waitFor();
    expect(
      await faults("prompt description", "template", "instructions", "tool description"),
    ).toEqual([]);
    // For the second time, after which the server is not started for a while.
    await call("crash").catch(() => undefined);
    await goTo(page, "Servers");
    expect(await faults()).toEqual([]);
    await show("servers/dev/bad", "dev/bad");
    expect(await faults("stderr")).toEqual([]);
    await goTo(page, "Calls");
    expect(await faults("client")).toEqual([]);
    for (const row of await page.getByRole("button", { name: "Details" }).all()) {
      await row.click();
      await page.getByRole("dialog").getByRole("heading", { name: "Result" }).waitFor();
      expect(await faults()).toEqual([]);
      await page.keyboard.press("Escape");
    }
    await goTo(page, "Logs");
    expect(await faults()).toEqual([]);
  });

  it("is text in the configuration and on all other pages", async () => {
    await goTo(page, "Configuration");
    expect(await page.getByLabel("Text of the configuration").inputValue()).toContain(
      "onerror=alert(1)",
    );
    for (const title of ["Access tokens", "Token savings", "Servers"]) {
      await goTo(page, title);
      expect(await faults()).toEqual([]);
    }
  });
});
