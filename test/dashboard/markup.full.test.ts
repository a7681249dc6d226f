/**
 * Markup in every text that comes from servers and clients, in a real browser: it is shown as text on every page, no
 * script runs and the content policy has nothing to stop. `npm test` checks that the source uses text nodes only.
 */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { beforeAll, expect, it } from "vitest";
import { describeInBrowser, type ObservedPage, sharedBrowser } from "../support/browser.ts";
import { expectNoProblems, goTo, isLoaded, openDashboard, textOf } from "../support/dashboard.ts";
import { perBlock } from "../support/disposables.ts";
import { HOSTILE_TOOL, hostileServer, MARKUP } from "../support/hostile-server.ts";
import { type HttpClient, LEGACY, useTool } from "../support/http-client.ts";
import { type HttpWorkbench, startHttpWorkbench } from "../support/http-workbench.ts";
import { takePicture } from "../support/screenshots.ts";
import { dev } from "../support/servers.ts";

describeInBrowser("markup from a server", () => {
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
    client.ask("tools/call", useTool(`dev/bad/${name}`, { [MARKUP]: MARKUP }));
  const show = async (place: string, heading: string): Promise<void> => {
    await page.goto(`${workbench.url}/ui/#/${place}`);
    await page.getByRole("heading", { name: heading }).first().waitFor();
    await isLoaded(page);
  };

  /** What must hold on every page: the texts are there, and nothing of them became an element. */
  async function expectText(...texts: string[]): Promise<void> {
    for (const text of texts) await page.getByText(text).first().waitFor({ state: "attached" });
    const elements =
      "img, svg, iframe, object, main script, [onload], [onerror], a[href^=javascript]";
    expect(await page.locator(elements).count()).toBe(0);
    expectNoProblems(observed);
  }

  it("is text in tools and in the form for their arguments", async () => {
    await call("result");
    await goTo(page, "Tools");
    await page.getByRole("listitem").getByText(HOSTILE_TOOL).waitFor();
    await show(`tools/dev/bad/${encodeURIComponent(HOSTILE_TOOL)}`, HOSTILE_TOOL);
    await takePicture(page, "markup");
    await expectText(
      "tool title",
      "tool description",
      "property description",
      "choice",
      "list",
      "any",
    );
    await page.getByText("Definition", { exact: true }).click();
    await expectText("annotation");
    expect(await textOf(page)).toContain("<script>alert(2)</script>");
  });

  it.each([
    ["result", ["result text", "mime type", "structured value"]],
    ["failure", ["failure text"]],
    ["crash", ["crash reason"]],
  ])("is text in what a call of %s returns", async (name, texts) => {
    await show(`tools/dev/bad/${name}`, name);
    await page.getByRole("button", { name: "Call the tool" }).click();
    const confirm = page.getByRole("dialog").getByRole("button", { name: "Call the tool" });
    if (name !== "result") await confirm.click();
    await page.getByRole("heading", { name: "Result" }).waitFor();
    if (name !== "crash") await expectText(...texts);
    await expectText();
  });

  it("is text in approvals", async () => {
    const answer = call("error");
    await goTo(page, "Approvals");
    await expectText("<img src=x", "reason");
    await page.getByRole("button", { name: "Allow once" }).click();
    await answer;
    await expectText();
  });

  it("is text in servers, calls, logs and definitions", async () => {
    await call("failure");
    await call("crash").catch(() => undefined);
    await goTo(page, "Servers");
    await expectText();
    await show("servers/dev/bad", "dev/bad");
    await expectText("stderr");
    await goTo(page, "Calls");
    await expectText("client");
    for (const row of await page.getByRole("button", { name: "Details" }).all()) {
      await row.click();
      await page.getByRole("dialog").getByRole("heading", { name: "Result" }).waitFor();
      await expectText();
      await page.keyboard.press("Escape");
    }
    await goTo(page, "Logs");
    await expectText();
    await goTo(page, "Definitions");
    await expectText();
    await show("definitions/dev/bad", "Definitions of dev/bad");
    await page.getByRole("button", { name: "Approve everything" }).waitFor();
    await expectText("prompt description", "template", "instructions", "tool description");
  });

  it("is text in the configuration and on all other pages", async () => {
    await goTo(page, "Configuration");
    expect(await page.getByLabel("Text of the configuration").inputValue()).toContain(
      "onerror=alert(1)",
    );
    for (const title of ["Access tokens", "Token savings", "Servers"]) {
      await goTo(page, title);
      await expectText();
    }
  });
});
