/**
 * A page of the dashboard that loses its connection or its session, and several pages in one browser. `npm test` has
 * the event stream of a page with a fake browser.
 */
import type { BrowserContext, Page, Request } from "playwright-core";
import { beforeAll, describe, expect, it } from "vitest";
import { useToolParams } from "../support/calls.ts";
import { barriers } from "../support/axe.ts";
import { HAS_BROWSER, openPage, sharedBrowser } from "../support/browser.ts";
import { dashboardLink, goTo, isLive, openDashboard } from "../support/dashboard.ts";
import { perBlock } from "../support/disposables.ts";
import { type HttpClient } from "../support/http-client.ts";
import { type HttpWorkbench, startHttpWorkbench } from "../support/http-workbench.ts";
import { GENEROUS_MS } from "../support/raw-client.ts";
import { takePicture } from "../support/screenshots.ts";
import { dev, fixture } from "../support/servers.ts";

/** More than the connections that a browser opens to one address. */
const PAGES = 8;

describe.skipIf(!HAS_BROWSER)("a page of the dashboard", () => {
  const cleanup = perBlock();
  const browser = sharedBrowser();
  let workbench: HttpWorkbench;
  let client: HttpClient;

  beforeAll(async () => {
    workbench = await startHttpWorkbench(cleanup, dev({ fx: fixture() }));
    client = workbench.client();
    await client.initialize();
  });

  const call = (text: string) => client.ask("tools/call", useToolParams("dev/fx/echo", { text }));
  const badge = (page: Page, text: string) =>
    page.getByRole("status", { name: "Connection to the workbench" }).getByText(text).waitFor();
  const isSignedOut = (page: Page) =>
    page.getByText("To open the dashboard, run this command").waitFor();
  /** A further tab of a browser that is signed in. */
  const openTab = async (context: BrowserContext): Promise<Page> => {
    const page = await context.newPage();
    await page.goto(`${workbench.url}/ui/`);
    await isLive(page);
    return page;
  };

  it("shows what it missed while it was not connected", async () => {
    const { page } = await openPage(cleanup, browser(), workbench.url);
    let isCut = true;
    // A stream that ends after its first event.
    await page.route("**/ui/events", (route) =>
      isCut
        ? route.fulfill({
            contentType: "text/event-stream",
            body: `data: {"type":"hello","pid":1,"startedAt":""}\n\n`,
          })
        : route.continue(),
    );
    await page.goto(dashboardLink(workbench));
    await badge(page, "Reconnecting");
    await page.getByText(/The connection to the workbench is interrupted/).waitFor();
    await page.evaluate(`location.hash = "#/calls"`);
    await page.getByRole("heading", { level: 1, name: "Calls" }).waitFor();
    await takePicture(page, "reconnecting");
    expect(await barriers(page)).toEqual([]);
    // Calls are recorded while a page is open.
    const other = await openDashboard(cleanup, browser(), workbench);
    await call("missed");
    isCut = false;
    await badge(page, "Live");
    await page.getByRole("row", { name: /echo/ }).getByText("Succeeded").waitFor();
    await call("seen");
    await page.getByRole("row", { name: /echo/ }).nth(1).getByText("Succeeded").waitFor();
    expect(other.problems).toEqual([]);
  });

  it("is one of many in a browser, and all of them are live", async () => {
    const { page } = await openDashboard(cleanup, browser(), workbench);
    const context = page.context();
    const streams: string[] = [];
    const isStream = (request: Request): boolean => request.url().endsWith("/ui/events");
    context.on("request", (request) => {
      if (isStream(request)) streams.push(request.url());
    });
    const tabs = [page];
    while (tabs.length < PAGES) tabs.push(await openTab(context));
    for (const tab of tabs) await goTo(tab, "Calls");
    await call("for all");
    for (const tab of tabs)
      await tab.getByRole("row", { name: /echo/ }).first().getByText("Succeeded").waitFor();
    expect(streams).toEqual([]);
    // Another page takes over the stream, as soon as the browser has ended the one that was closed.
    const isTakenOver = context.waitForEvent("request", {
      predicate: isStream,
      timeout: GENEROUS_MS,
    });
    await page.close();
    await isTakenOver;
    const [last] = tabs.slice(-1);
    await call("after");
    await call("the first is closed");
    await last?.getByRole("row", { name: /echo/ }).nth(2).getByText("Succeeded").waitFor();
    expect(streams).toHaveLength(1);
  });

  it("signs out with the other tabs of its browser, and with no other browser", async () => {
    const { page } = await openDashboard(cleanup, browser(), workbench);
    const second = await openTab(page.context());
    const third = await openTab(page.context());
    const other = await openDashboard(cleanup, browser(), workbench);
    await second.getByRole("button", { name: "Sign out" }).click();
    for (const tab of [page, second, third]) await isSignedOut(tab);
    await goTo(other.page, "Tools");
    expect(other.problems).toEqual([]);
  });

  it("goes to the sign-in page when its session is over, and back with a link", async () => {
    const { page } = await openDashboard(cleanup, browser(), workbench);
    await page.context().clearCookies();
    await page.evaluate(`location.hash = "#/configuration"`);
    await isSignedOut(page);
    await takePicture(page, "signed-out");
    expect(await barriers(page)).toEqual([]);
    // Pasted into the address bar, a link changes the fragment only.
    await page.goto(dashboardLink(workbench));
    await isLive(page);
    expect(page.url()).toBe(`${workbench.url}/ui/`);
  });

  it("accepts a link that was used, if its browser is signed in, and a new session", async () => {
    const { page } = await openPage(cleanup, browser(), workbench.url);
    const link = dashboardLink(workbench);
    await page.goto(link);
    await isLive(page);
    const second = await page.context().newPage();
    await second.goto(link);
    await isLive(second);
    // A new link ends the earlier session; both tabs go on with the new one.
    await second.goto(dashboardLink(workbench));
    await isLive(second);
    await goTo(page, "Access tokens");
    await page.getByRole("button", { name: "New token" }).click();
    await page.getByLabel("Name").fill("two-tabs");
    await page.getByRole("button", { name: "Create" }).click();
    await page.getByRole("dialog", { name: "Token two-tabs" }).waitFor();
    await page.getByRole("button", { name: "Done" }).click();
    await goTo(second, "Access tokens");
    await second.getByRole("row", { name: /two-tabs/ }).waitFor();
    const stranger = await openPage(cleanup, browser(), workbench.url);
    await stranger.page.goto(link);
    await stranger.page.getByText("The link was used before or has expired").waitFor();
    expect(new URL(stranger.page.url()).hash).toBe("");
  });

  it("says that the workbench has stopped or does not answer, and asks to sign in again", async () => {
    const first = await startHttpWorkbench(cleanup, dev({}));
    const { page } = await openDashboard(cleanup, browser(), first);
    const other = await openDashboard(cleanup, browser(), first);
    const address = `127.0.0.1:${first.port}`;
    await first.stop();
    await badge(page, "Stopped");
    await page.getByText("The workbench has stopped").waitFor();
    await takePicture(page, "stopped");
    expect(await barriers(page)).toEqual([]);
    await page.getByRole("link", { name: "Logs" }).click();
    await page.getByText("The workbench does not answer").waitFor();
    expect(await barriers(page)).toEqual([]);

    const second = await startHttpWorkbench(cleanup, dev({}), { address });
    await page.getByRole("button", { name: "Try again" }).click();
    await isSignedOut(page);
    // A page that was cut off before it learned of the end is signed out without a click.
    await other.page.evaluate(`location.hash = "#/calls"`);
    await isSignedOut(other.page);
    await other.page.goto(dashboardLink(second));
    await isLive(other.page);
  });
});
