/**
 * What servers do while a user looks at the dashboard, in a real browser: they ask questions, die and start again, and
 * change thousands of definitions. `npm test` has the parts of the page that need no browser.
 */
import type { Locator, Page } from "playwright-core";
import { beforeAll, describe, expect, it } from "vitest";
import { firstText, useToolParams } from "../support/calls.ts";
import { barriers } from "../support/axe.ts";
import { HAS_BROWSER, type ObservedPage, sharedBrowser } from "../support/browser.ts";
import { type ChangingServer, changingServer } from "../support/changing-server.ts";
import { goTo, isLive, openDashboard, untilShown } from "../support/dashboard.ts";
import { perBlock } from "../support/disposables.ts";
import { type HttpClient } from "../support/http-client.ts";
import { type HttpWorkbench, startHttpWorkbench } from "../support/http-workbench.ts";
import { takePicture } from "../support/screenshots.ts";
import { scriptServer } from "../support/script-server.ts";
import { everything, fixture, toolbox, withOptions } from "../support/servers.ts";
import { runCommand } from "../support/workbench.ts";

const TOOLS = 3000;
const ROUNDS = "test_input_required_result_multi_round";
const MARKUP = "<img src=x onerror=alert(1)>";

const toolsWith = (description: string): readonly object[] =>
  Array.from({ length: TOOLS }, (_, i) => ({
    name: `tool_${i}`,
    description: `${description} ${i}`,
    inputSchema: { type: "object" },
  }));

/** Its tools ask with a form, with an address, or refuse with an address. It returns what it was answered. */
const ASKING = `
const tool = (name) => ({ name, inputSchema: { type: "object" } });
const asked = new Map();
const params = {
  form: {
    message: "Whose ${MARKUP} order?\\nIt is the last question.",
    requestedSchema: {
      type: "object",
      properties: {
        who: { type: "string", title: "Name ${MARKUP}", description: "As on the order" },
        count: { type: "integer", minimum: 1, maximum: 9 },
        size: { type: "string", oneOf: [{ const: "s", title: "Small" }, { const: "l", title: "Large" }] },
        gift: { type: "boolean", default: true },
      },
      required: ["who", "count"],
    },
  },
  url: { mode: "url", elicitationId: "1", message: "Confirm your account", url: "https://pay.example/confirm?id=1" },
};
onResponse(({ id, result, error }) => {
  send({ id: asked.get(id), result: { content: [{ type: "text", text: JSON.stringify(result ?? error) }] } });
});
serve({
  ...legacy({ tools: {} }),
  "tools/list": () => ({ tools: ["form", "url", "refuse"].map(tool) }),
  "tools/call": ({ name }, id) => {
    if (name === "refuse") {
      const data = { elicitations: [params.url] };
      return void send({ id, error: { code: -32042, message: "Confirm first", data } });
    }
    asked.set("q" + id, id);
    send({ id: "q" + id, method: "elicitation/create", params: params[name] });
  },
});
`;

describe.skipIf(!HAS_BROWSER)("while a user watches", () => {
  const cleanup = perBlock();
  const browser = sharedBrowser();
  let workbench: HttpWorkbench;
  let observed: ObservedPage;
  let page: Page;
  let client: HttpClient;
  let many: ChangingServer;

  beforeAll(async () => {
    many = changingServer(cleanup, { tools: toolsWith("Reads record") });
    // A destructive tool would be called after a question of the page.
    const read = { class: "read" };
    workbench = await startHttpWorkbench(
      cleanup,
      {
        policy: { rules: [{ tools: ["fx/echo"], action: "ask" }] },
        toolboxes: {
          dev: toolbox({
            asking: withOptions(scriptServer(cleanup, ASKING), {
              overrides: { form: read, url: read, refuse: read },
            }),
            modern: withOptions(everything("modern"), { overrides: { [ROUNDS]: read } }),
            fx: withOptions(fixture(), { overrides: { crash: read } }),
            many: many.entry,
          }),
        },
      },
      { before: (place) => void runCommand(place, "lock") },
    );
    client = workbench.client();
    await client.initialize();
    // What was never connected is not known yet.
    for (const tool of ["asking/refuse", "modern/none", "fx/stderr", "many/tool_0"])
      await client.ask("tools/call", useToolParams(`dev/${tool}`, {}));
    observed = await openDashboard(cleanup, browser(), workbench);
    ({ page } = observed);
  });

  const show = (place: string) => page.goto(`${workbench.url}/ui/#/${place}`);
  const button = (name: string): Locator => page.getByRole("button", { name, exact: true });
  const question = (name: string): Locator =>
    page.getByRole("form", { name: `Question of ${name}` });
  const callTool = async (name: string): Promise<void> => {
    await show(`tools/dev/${name}`);
    await button("Call the tool").click();
  };
  const result = (): Locator => page.getByRole("region", { name: "text 1" });

  it("a server asks with a form, which is text and checked before it is sent", async () => {
    await callTool("asking/form");
    const form = question("dev/asking");
    await form.getByText(`Whose ${MARKUP} order?`).waitFor();
    await takePicture(page, "question-form");
    expect(await barriers(page)).toEqual([]);
    await form.getByRole("button", { name: "Send the answer" }).click();
    await form.getByText("A value is required").first().waitFor();
    await form.getByLabel(/^who/).fill(MARKUP);
    await form.getByLabel(/^count/).fill("3");
    await form.getByLabel(/^size/).selectOption({ label: "Large" });
    await form.getByRole("button", { name: "Send the answer" }).click();
    const content = { who: MARKUP, count: 3, size: "l", gift: true };
    await result()
      .getByText(JSON.stringify({ action: "accept", content }))
      .waitFor();
    expect(await form.count()).toBe(0);
    expect(await page.locator("img").count()).toBe(0);
    expect(observed.problems).toEqual([]);
  });

  it.each([
    ["Decline", "decline"],
    ["Dismiss", "cancel"],
  ])("a question is refused with %s", async (name, action) => {
    await callTool("asking/form");
    await question("dev/asking").getByRole("button", { name }).click();
    await result().getByText(JSON.stringify({ action })).waitFor();
    expect(observed.problems).toEqual([]);
  });

  it("a question disappears with its call", async () => {
    await callTool("asking/form");
    await question("dev/asking").waitFor();
    await button("Cancel").click();
    await page.getByText("The server may have done part of its work").waitFor();
    expect(await question("dev/asking").count()).toBe(0);
    expect(observed.problems).toEqual([]);
  });

  it("a server asks to open an address, which shows where it leads", async () => {
    await callTool("asking/url");
    const form = question("dev/asking");
    await form.getByText("https://pay.example", { exact: true }).waitFor();
    const link = form.getByRole("link", { name: "Open the page" });
    expect(await link.getAttribute("href")).toBe("https://pay.example/confirm?id=1");
    expect(await link.getAttribute("rel")).toBe("noopener noreferrer");
    await takePicture(page, "question-address");
    expect(await barriers(page)).toEqual([]);
    await form.getByRole("button", { name: "Decline" }).click();
    await result()
      .getByText(JSON.stringify({ action: "decline" }))
      .waitFor();
    await callTool("asking/refuse");
    await page.getByText("Confirm first").first().waitFor();
    await page.getByRole("link", { name: "Open the page" }).waitFor();
    expect(observed.problems).toEqual([]);
  });

  it("a modern server asks in several rounds", async () => {
    await callTool(`modern/${ROUNDS}`);
    const form = question("dev/modern");
    await form.getByText("Step 1: What is your name?").waitFor();
    await form.getByLabel(/^name/).fill("Ada");
    await form.getByRole("button", { name: "Send the answer" }).click();
    await form.getByText(/Step 2/).waitFor();
    await form.getByRole("button", { name: "Decline" }).click();
    await page.getByRole("region", { name: "Result" }).waitFor();
    expect(observed.problems).toEqual([]);
  });

  it("a server dies and starts again, which is seen as it happens", async () => {
    await client.ask("tools/call", useToolParams("dev/fx/stderr", { text: "ready" }));
    await show("servers/dev/fx");
    await page.getByText("Ready", { exact: true }).waitFor();
    const fact = (name: string): Locator =>
      page.locator("dt", { hasText: name }).locator("xpath=following-sibling::dd[1]");
    const before = await fact("Process").innerText();
    await client.ask(
      "tools/call",
      useToolParams("dev/fx/crash", { code: 7, stderr: "my last words" }),
    );
    await page
      .getByText(/exited with code 7/)
      .first()
      .waitFor();
    await page.getByText("Ready", { exact: true }).waitFor({ state: "detached" });
    await fact("Process").waitFor({ state: "detached" });
    // Without the button, it would start again after a while.
    await page.getByRole("button", { name: /^Restart/ }).click();
    await page.getByText("Ready", { exact: true }).waitFor();
    await client.ask("tools/call", useToolParams("dev/fx/stderr", { text: "alive again" }));
    await page.getByText("alive again").waitFor();
    expect(Number(await fact("Restarts").innerText())).toBeGreaterThan(0);
    expect(await fact("Process").innerText()).not.toBe(before);
    await takePicture(page, "server-restarted");
    expect(observed.problems).toEqual([]);
  });

  it("thousands of definitions change, and are compared part by part", async () => {
    many.define({ tools: toolsWith("Deletes record") });
    await show("definitions/dev/many");
    await page.getByText(`1 to 100 of ${TOOLS.toLocaleString("en")}`).waitFor();
    expect(await page.getByRole("article").count()).toBe(100);
    await button("Next").click();
    await page.getByText(`101 to 200 of ${TOOLS.toLocaleString("en")}`).waitFor();
    await takePicture(page, "definitions-many");
    await button("Approve everything").click();
    await page.getByText(`Approve all ${TOOLS.toLocaleString("en")} differences?`).waitFor();
    await page.getByRole("dialog").getByRole("button", { name: "Approve" }).click();
    await page.getByText("Everything is as approved").waitFor();
    expect(observed.problems).toEqual([]);
  });

  it("two tabs of a browser show the same approvals, and either decides", async () => {
    const other = await page.context().newPage();
    await other.goto(`${workbench.url}/ui/#/approvals`);
    await isLive(other);
    await goTo(page, "Approvals");
    const card = (where: Page, text: string): Locator =>
      where.getByRole("article", { name: "Approval of dev/fx/echo" }).filter({ hasText: text });
    const ask = (text: string) => client.ask("tools/call", useToolParams("dev/fx/echo", { text }));
    const calls = [ask("first"), ask("second")];
    for (const where of [page, other])
      for (const text of ["first", "second"]) await card(where, text).waitFor();
    await card(other, "first").getByRole("button", { name: "Allow once" }).click();
    await card(page, "first").waitFor({ state: "detached" });
    await card(page, "second").getByRole("button", { name: "Deny" }).click();
    await card(other, "second").waitFor({ state: "detached" });
    const [first, second] = await Promise.all(calls);
    expect(firstText(first)).toBe("first");
    expect(firstText(second)).toMatch(/the user denied it/);
    await other.getByText("Nothing to answer").waitFor();
    await untilShown(other, "document.title", (text) => text === "Approvals · MCP Workbench");
    expect(observed.problems).toEqual([]);
  });
});
