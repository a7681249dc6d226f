/**
 * What a user does in the dashboard, in a real browser: tries tools, follows calls, answers approvals, creates tokens,
 * reviews definitions, changes the configuration. `npm test` has the requests behind it, without a browser.
 */
import type { Locator, Page } from "playwright-core";
import { beforeAll, describe, expect, it } from "vitest";
import { firstText, useToolParams } from "../support/calls.ts";
import { HAS_BROWSER, type ObservedPage, sharedBrowser } from "../support/browser.ts";
import { changingServer, type ChangingServer } from "../support/changing-server.ts";
import { goTo, openDashboard, untilShown } from "../support/dashboard.ts";
import { perBlock } from "../support/disposables.ts";
import { exchange, type HttpClient } from "../support/http-client.ts";
import { type HttpWorkbench, startHttpWorkbench } from "../support/http-workbench.ts";
import { APPROVED_NOTES, CHANGED_NOTES } from "../support/notes-server.ts";
import { waitFor } from "../support/proc.ts";
import { GENEROUS_MS } from "../support/raw-client.ts";
import { takePicture } from "../support/screenshots.ts";
import { fixture, publicServer, toolbox, withOptions } from "../support/servers.ts";
import { runCommand } from "../support/workbench.ts";
import { barriers } from "../support/axe.ts";

describe.skipIf(!HAS_BROWSER)("in the dashboard, a user", () => {
  const cleanup = perBlock();
  const browser = sharedBrowser();
  let workbench: HttpWorkbench;
  let observed: ObservedPage;
  let page: Page;
  let client: HttpClient;
  let notes: ChangingServer;

  beforeAll(async () => {
    notes = changingServer(cleanup, APPROVED_NOTES);
    const read = { class: "read" };
    const fx = withOptions(fixture(), {
      overrides: { echo: read, structured: read, rich: read, stderr: read, sleep: read },
    });
    workbench = await startHttpWorkbench(
      cleanup,
      {
        dashboard: { payloads: true },
        policy: { rules: [{ tools: ["fx/tool_error", "fx/structured"], action: "ask" }] },
        toolboxes: {
          dev: toolbox({ fx, everything: publicServer("everything") }, "Examples"),
          notes: toolbox({ notes: notes.entry }, "Notes"),
        },
      },
      { before: (place) => void runCommand(place, "lock") },
    );
    client = workbench.client();
    await client.initialize();
    await client.ask("tools/call", useToolParams("dev/fx/echo", { text: "first" }));
    observed = await openDashboard(cleanup, browser(), workbench, {
      permissions: ["clipboard-read", "clipboard-write"],
    });
    ({ page } = observed);
  });

  const show = async (place: string): Promise<void> => {
    await page.goto(`${workbench.url}/ui/#/${place}`);
  };
  const button = (name: string | RegExp): Locator => page.getByRole("button", { name });

  it("finds a tool with the search and calls it", async () => {
    await goTo(page, "Tools");
    await page.getByRole("searchbox").fill("echo");
    await page
      .getByRole("listitem")
      .getByRole("link", { name: /^echo dev\/fx/ })
      .click();
    await page.getByRole("heading", { level: 2, name: "echo" }).waitFor();
    await button("Call the tool").click();
    await page.getByText("A value is required").waitFor();
    await page.getByLabel(/^text/).fill("hello <b>world</b>");
    await button("Call the tool").click();
    const result = page.getByRole("region", { name: "text 1" });
    await result.getByText("hello <b>world</b>").waitFor();
    await takePicture(page, "tool");
    expect(await barriers(page)).toEqual([]);
    expect(observed.problems).toEqual([]);
  });

  it("sees every kind of content as text", async () => {
    await show("tools/dev/fx/rich");
    await page.getByText("This tool takes no arguments.").waitFor();
    await button("Call the tool").click();
    await page.getByText(/image, image\/png, .* not shown here/).waitFor();
    await page.getByText(/audio, audio\/wav, .* not shown here/).waitFor();
    await page.getByText("with annotations", { exact: true }).waitFor();
    expect(await page.locator("img, audio, video, iframe, svg, object").count()).toBe(0);
    expect(observed.problems).toEqual([]);
  });

  it("follows calls and standard error while they happen", async () => {
    await goTo(page, "Calls");
    const rows = page.getByRole("row", { name: /echo/ });
    const earlier = await rows.count();
    await client.ask("tools/call", useToolParams("dev/fx/echo", { text: "live call" }));
    await rows.nth(earlier).waitFor();
    const row = rows.first();
    await row.getByText("Succeeded").waitFor();
    await row.getByRole("button", { name: "Details" }).click();
    await page
      .getByRole("dialog")
      .getByText(/live call/)
      .first()
      .waitFor();
    await page.keyboard.press("Escape");
    await show("servers/dev/fx");
    await page.getByRole("heading", { level: 1, name: "dev/fx" }).waitFor();
    await client.ask("tools/call", useToolParams("dev/fx/stderr", { text: "a line that appears" }));
    await page.getByText("a line that appears").waitFor();
    expect(observed.problems).toEqual([]);
  });

  it("restarts a server", async () => {
    await show("servers/dev/fx");
    const before = workbench.witness("dev", "fx").starts;
    await button(/^Restart/).click();
    await waitFor(
      () => workbench.witness("dev", "fx").starts > before,
      GENEROUS_MS,
      "another start",
    );
    await page.getByText("Ready").waitFor();
    expect(observed.problems).toEqual([]);
  });

  it("answers what a call of a client waits for", async () => {
    await goTo(page, "Approvals");
    const ask = (more = {}) => client.ask("tools/call", useToolParams("dev/fx/tool_error", more));
    const first = ask();
    await page.getByRole("link", { name: "Approvals 1 waiting" }).waitFor();
    const card = page.getByRole("article", { name: "Approval of dev/fx/tool_error" });
    await card.waitFor();
    await untilShown(page, "document.title", (text) => text === "(1) Approvals · MCP Workbench");
    await takePicture(page, "approval");
    expect(await barriers(page)).toEqual([]);
    await card.getByRole("button", { name: "Allow once" }).click();
    expect(firstText(await first)).toBe("the tool went wrong");
    await page.getByText("Nothing to answer").waitFor();

    const second = ask();
    await card.getByRole("button", { name: "Always allow" }).click();
    expect(firstText(await second)).toBe("the tool went wrong");
    expect(firstText(await ask({ other: true }))).toBe("the tool went wrong");
    await button(/^Ask again/).click();
    await page.getByRole("heading", { name: "Always allowed" }).waitFor({ state: "detached" });
    const third = ask({ other: 2 });
    await card.getByRole("button", { name: "Deny" }).click();
    expect(firstText(await third)).toMatch(/the user denied it/);
    expect(observed.problems).toEqual([]);
  });

  it("learns that an answer came too late", async () => {
    const other = await openDashboard(cleanup, browser(), workbench);
    await goTo(other.page, "Approvals");
    const waiting = client.ask("tools/call", useToolParams("dev/fx/tool_error", { late: true }));
    const card = (where: Page) =>
      where.getByRole("article", { name: "Approval of dev/fx/tool_error" });
    // The other answer is on its way until this one has been given.
    let release = (): void => {};
    const isGiven = new Promise<void>((resolve) => (release = resolve));
    await other.page.route("**/ui/api/approvals/answer", async (route) => {
      await isGiven;
      await route.continue();
    });
    await card(other.page).getByRole("button", { name: "Allow once" }).click();
    await goTo(page, "Approvals");
    await card(page).getByRole("button", { name: "Deny" }).click();
    expect(firstText(await waiting)).toMatch(/the user denied it/);
    release();
    await other.page.getByText("Your answer for dev/fx/tool_error has no effect.").waitFor();
    expect(await barriers(other.page)).toEqual([]);
    expect(observed.problems).toEqual([]);
  });

  it("answers what their own call waits for, beside the call", async () => {
    await show("tools/dev/fx/structured");
    await page.getByLabel(/^value/).fill('{"a": 1}');
    await button("Call the tool").click();
    await button("Allow once").click();
    await page.getByText("Succeeded").waitFor();
    expect(observed.problems).toEqual([]);
  });

  it("creates a token that is shown once, replaces and revokes it", async () => {
    await goTo(page, "Access tokens");
    await button("New token").click();
    await page.getByLabel("Name").fill("ci");
    await page.getByLabel("dev").check();
    expect(await barriers(page)).toEqual([]);
    await button("Create").click();
    const dialog = page.getByRole("dialog", { name: "Token ci" });
    const token = (await dialog.locator(".secret").textContent()) ?? "";
    expect(token).toMatch(/^mwb_\w{8}_\S{43}$/);
    await dialog.getByRole("button", { name: "Copy" }).click();
    expect(await page.evaluate("navigator.clipboard.readText()")).toBe(token);
    const status = async (bearer: string): Promise<number> => {
      const headers = { authorization: `Bearer ${bearer}` };
      return (await exchange(`${workbench.url}/api/status`, { method: "GET", headers })).status;
    };
    const valid = await status(token);
    await dialog.getByRole("button", { name: "Done" }).click();
    expect(await page.getByText(token).count()).toBe(0);

    const row = page.getByRole("row", { name: /^ci dev/ });
    await row.getByRole("button", { name: "Replace" }).click();
    await takePicture(page, "token-replace");
    expect(await barriers(page)).toEqual([]);
    await page.getByRole("dialog").getByRole("button", { name: "Replace" }).click();
    await dialog.waitFor();
    const replaced = (await dialog.locator(".secret").textContent()) ?? "";
    await takePicture(page, "token");
    await dialog.getByRole("button", { name: "Done" }).click();
    expect(replaced).toMatch(/^mwb_\w{8}_\S{43}$/);
    expect(replaced).not.toBe(token);
    await waitFor(async () => (await status(token)) === 401, GENEROUS_MS, "the end of the old one");
    expect(await status(replaced)).toBe(valid);
    await row.getByRole("button", { name: "Revoke" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Revoke" }).click();
    await page.getByText("No access tokens").waitFor();
    await waitFor(
      async () => (await status(replaced)) === 401,
      GENEROUS_MS,
      "the token no longer works",
    );
    expect(valid).not.toBe(401);
    expect(observed.problems).toEqual([]);
  });

  it("sees what a server changed in its definitions, and approves it", async () => {
    await show("definitions/notes/notes");
    await page.getByText("Everything is as approved").waitFor();
    // A connected server reports its changes.
    await client.ask("tools/call", useToolParams("notes/notes/read_note", {}));
    notes.define(CHANGED_NOTES);
    await goTo(page, "Definitions");
    await page
      .getByRole("row", { name: /notes\/notes/ })
      .getByText("Changed")
      .waitFor();
    await page.getByRole("link", { name: "Compare notes/notes" }).click();
    const card = page.getByRole("article", { name: "Tool write_note changed" });
    await card.getByText("Severe").waitFor();
    expect(await card.locator("ins").allTextContents()).toEqual([
      expect.stringContaining("http://notes.example"),
    ]);
    await takePicture(page, "definition");
    expect(await barriers(page)).toEqual([]);
    await button("Approve everything").click();
    await page.getByRole("dialog").getByRole("button", { name: "Approve" }).click();
    await page.getByText("Everything is as approved").waitFor();
    expect(runCommand(workbench, "diff", "notes/notes").code).toBe(0);
    expect(observed.problems).toEqual([]);
  });
});
