/** The dashboard of a running workbench, opened as a user does. */
import { approvalsFile, readApprovals } from "../../src/access/approvals/approvals-file.ts";
import { thisMachine } from "../../src/config/directories.ts";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { type ObservedPage, openPage } from "./browser.ts";
import type { Disposables } from "./disposables.ts";
import type { HttpWorkbench } from "./http-workbench.ts";
import { waitFor } from "./proc.ts";
import { GENEROUS_MS } from "./raw-client.ts";
import { type Place, runCommand } from "./workbench.ts";

/** The one-time link that the command prints. */
export function dashboardLink(workbench: Place): string {
  const { code, stdout, stderr } = runCommand(workbench, "dashboard", "--no-browser");
  const link = /http:\/\/\S+\/ui\/#code=\S+/.exec(stdout)?.[0];
  if (code !== 0 || link === undefined)
    throw new Error(`the command dashboard failed: ${stdout}\n${stderr}`);
  return link;
}

/** Signs in with a new link and waits for the event stream. */
export async function openDashboard(
  disposables: Disposables,
  browser: Browser,
  workbench: HttpWorkbench,
  options: BrowserContextOptions = {},
): Promise<ObservedPage> {
  const since = Date.now();
  const observed = await openPage(disposables, browser, workbench.url, options);
  await observed.page.goto(dashboardLink(workbench));
  await isLive(observed.page);
  await untilCallsWait(workbench, since);
  return observed;
}

/** Waits until calls that need an approval wait for the user of a dashboard that was opened since then. */
export async function untilCallsWait({ env }: Place, since: number): Promise<void> {
  const file = approvalsFile(thisMachine(env));
  const isStored = (): boolean =>
    readApprovals(file).watchers.some(({ at, until }) => at >= since && until > at);
  await waitFor(isStored, GENEROUS_MS, "a dashboard that calls wait for");
}

/** Waits until the event stream is open. */
export async function isLive(page: Page): Promise<void> {
  await page
    .getByRole("status", { name: "Connection to the workbench" })
    .getByText("Live")
    .waitFor();
}

/** Goes to a page with the navigation, and waits for its heading, which then has the focus. */
export async function goTo(page: Page, title: string): Promise<void> {
  const pages = page.getByRole("navigation", { name: "Pages" });
  await pages.getByRole("link", { name: title }).click();
  await page.getByRole("heading", { level: 1, name: title }).waitFor();
  // The focus is set together with the title, a moment after the heading is shown.
  await untilShown(page, "document.title", (text) => text.endsWith(`${title} · MCP Workbench`));
  await isLoaded(page);
}

/** Waits until nothing is loading. */
export async function isLoaded(page: Page): Promise<void> {
  await page.getByText("Loading …").first().waitFor({ state: "detached" });
}

/** What a page shows, as text. */
export async function textOf(page: Page): Promise<string> {
  return page.getByRole("main").innerText();
}

/**
 * Waits until an expression has the expected text in the page. `waitForFunction` cannot be used: the page's
 * own rules forbid it to evaluate anything more than once.
 */
export async function untilShown(
  page: Page,
  expression: string,
  isExpected: (text: string) => boolean,
): Promise<void> {
  const isShown = async (): Promise<boolean> => isExpected(String(await page.evaluate(expression)));
  await waitFor(isShown, GENEROUS_MS, `the expected ${expression}`);
}
