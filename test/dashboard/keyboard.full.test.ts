/** The dashboard with the keyboard alone, in a real browser. */
import type { Page } from "playwright-core";
import { beforeAll, describe, expect, it } from "vitest";
import { useToolParams } from "../support/calls.ts";
import { HAS_BROWSER, type ObservedPage, sharedBrowser } from "../support/browser.ts";
import { goTo, isLive, openDashboard, untilShown } from "../support/dashboard.ts";
import { perBlock } from "../support/disposables.ts";
import { type HttpWorkbench, startHttpWorkbench } from "../support/http-workbench.ts";
import { waitFor } from "../support/proc.ts";
import { GENEROUS_MS } from "../support/raw-client.ts";
import { dev, fixture, withOptions } from "../support/servers.ts";

/** Everything that can be used, visible and enabled. */
const USABLE = `[...document.querySelectorAll("a[href], button:not(:disabled), input, select, textarea, summary")]
  .filter((element) => element.checkVisibility())`;

/** Marks the focused element; returns whether it is outlined, or undefined if nothing is focused. */
const MARK = `(() => {
  const element = document.activeElement;
  if (element === null || element === document.body) return null;
  element.dataset.reached = "yes";
  const frame = element.closest(".code") ?? element;
  return getComputedStyle(frame).outlineStyle !== "none";
})()`;

/** The next Tab goes to the first element. */
const FROM_THE_START = `document.body.tabIndex = -1; document.body.focus(); document.body.removeAttribute("tabindex")`;

const MAX_STOPS = 200;

describe.skipIf(!HAS_BROWSER)("with the keyboard alone", () => {
  const cleanup = perBlock();
  const browser = sharedBrowser();
  let workbench: HttpWorkbench;
  let observed: ObservedPage;
  let page: Page;

  beforeAll(async () => {
    const fx = withOptions(fixture(), { overrides: { echo: { class: "read" } } });
    workbench = await startHttpWorkbench(cleanup, dev({ fx }));
    const client = workbench.client();
    await client.initialize();
    await client.ask("tools/call", useToolParams("dev/fx/echo", { text: "hello" }));
    observed = await openDashboard(cleanup, browser(), workbench);
    ({ page } = observed);
  });

  const press = (...keys: string[]) =>
    keys.reduce((last, key) => last.then(() => page.keyboard.press(key)), Promise.resolve());
  const focused = async (): Promise<string> =>
    (await page.evaluate(
      "document.activeElement.textContent || document.activeElement.placeholder",
    )) as string;

  it("the first stop skips the navigation", async () => {
    await page.reload();
    await isLive(page);
    await page.evaluate(FROM_THE_START);
    await press("Tab");
    expect(await focused()).toBe("Skip to the content");
    await press("Enter");
    expect(await focused()).toBe("Servers");
  });

  it.each(["Servers", "Calls", "Approvals", "Access tokens", "Logs", "Configuration"])(
    "everything on the page %s is reached, and the focus is visible",
    async (title) => {
      await goTo(page, title);
      await page.evaluate(FROM_THE_START);
      const outlined: unknown[] = [];
      for (let stop = 0; stop < MAX_STOPS; stop++) {
        await press("Tab");
        const mark = await page.evaluate(MARK);
        if (mark === null) break;
        outlined.push(mark);
      }
      const missed = await page.evaluate(
        `${USABLE}.filter((element) => element.dataset.reached !== "yes").map((element) => element.outerHTML)`,
      );
      expect(missed).toEqual([]);
      expect(outlined.filter((mark) => mark !== true)).toEqual([]);
    },
  );

  it("a tool is found and called", async () => {
    await goTo(page, "Servers");
    await press("/");
    expect(await focused()).toBe("Find a server ( / )");
    await goTo(page, "Access tokens");
    await press("/");
    await page.getByRole("heading", { level: 1, name: "Tools" }).waitFor();
    await untilShown(page, "document.activeElement.type", (text) => text === "search");
    const list = page.getByRole("region", { name: "Tools found" });
    await list.getByRole("link").first().waitFor();
    // The toolbox, then the list.
    await press("Tab", "Tab");
    const first = await focused();
    await press("ArrowDown");
    const second = await focused();
    await press("ArrowUp");
    expect([(await focused()) === first, first === second]).toEqual([true, false]);

    await press("/");
    await page.keyboard.type("echo");
    await page.getByText(/the best match first/).waitFor();
    await press("Tab", "Tab");
    // What was found by the first letters may be shown for a moment.
    await waitFor(async () => (await focused()).startsWith("echo"), GENEROUS_MS, "the best match");
    await press("Enter");
    const form = page.getByRole("form", { name: "Try the tool" });
    await form.waitFor();
    for (let stop = 0; stop < MAX_STOPS; stop++) {
      if (await page.evaluate(`document.activeElement.matches("form textarea")`)) break;
      await press("Tab");
    }
    await page.keyboard.type("typed text");
    await press("Tab", "Tab", "Enter");
    await page.getByRole("region", { name: "text 1" }).getByText("typed text").waitFor();
    expect(observed.problems).toEqual([]);
  });

  it("Escape closes a dialog, and the focus returns", async () => {
    await goTo(page, "Access tokens");
    await page.getByRole("button", { name: "New token" }).focus();
    await press("Enter");
    await page.getByRole("dialog").waitFor();
    await page.keyboard.type("name");
    expect(await page.getByLabel("Name").inputValue()).toBe("name");
    await press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });
    // A moment after the dialog is gone.
    await waitFor(async () => (await focused()) === "New token", GENEROUS_MS, "the focus");
    expect(observed.problems).toEqual([]);
  });
});
