/**
 * Every page of the dashboard in a real browser, with real servers: what it shows, whether it can be used with a
 * screen reader, in light and dark and on small screens. `npm test` has the parts of the page that need no browser.
 */
import { beforeAll, describe, expect, it } from "vitest";
import { useToolParams } from "../support/calls.ts";
import { barriers } from "../support/axe.ts";
import { HAS_BROWSER, type ObservedPage, sharedBrowser } from "../support/browser.ts";
import { goTo, isLive, isLoaded, openDashboard, textOf } from "../support/dashboard.ts";
import { perBlock } from "../support/disposables.ts";
import { type HttpWorkbench, startHttpWorkbench } from "../support/http-workbench.ts";
import { takePicture } from "../support/screenshots.ts";
import { MISSING_COMMAND, publicServer, toolbox } from "../support/servers.ts";

const TITLES = [
  "Servers",
  "Tools",
  "Calls",
  "Approvals",
  "Definitions",
  "Access tokens",
  "Token savings",
  "Logs",
  "Configuration",
];

/** The rules whose results depend on colours and sizes. */
const RULES_OF_LOOKS = ["color-contrast", "target-size", "scrollable-region-focusable"];

describe.skipIf(!HAS_BROWSER)("the dashboard", () => {
  const cleanup = perBlock();
  const browser = sharedBrowser();
  let workbench: HttpWorkbench;
  let observed: ObservedPage;

  beforeAll(async () => {
    workbench = await startHttpWorkbench(cleanup, {
      countTokens: true,
      toolboxes: {
        dev: toolbox(
          { memory: publicServer("memory"), everything: publicServer("everything") },
          "Local development: notes and examples",
        ),
        broken: toolbox({ missing: MISSING_COMMAND }, "A server that cannot be started"),
      },
    });
    observed = await openDashboard(cleanup, browser(), workbench);
    // The dashboard sees calls while it is open.
    const client = workbench.client();
    await client.initialize();
    await client.ask("tools/call", useToolParams("dev/everything/echo", { message: "hello" }));
    await client.ask("tools/call", useToolParams("dev/memory/read_graph", {}));
    await client.ask("tools/call", useToolParams("broken/missing/none", {}));
  });

  it("removes the one-time code from the address, and the code works once", async () => {
    const { page } = observed;
    expect(page.url()).toBe(`${workbench.url}/ui/`);
    expect(await page.evaluate("history.length")).toBeLessThanOrEqual(2);
  });

  it.each(TITLES)("shows the page %s", async (title) => {
    const { page } = observed;
    await goTo(page, title);
    expect(await page.title()).toBe(`${title} · MCP Workbench`);
    expect(await textOf(page)).not.toContain("Try again");
    await takePicture(page, title.toLowerCase().replace(" ", "-"));
    expect(await barriers(page)).toEqual([]);
    expect(observed.problems).toEqual([]);
  });

  it("shows that nothing is approved without a lock file", async () => {
    const { page } = observed;
    await goTo(page, "Definitions");
    expect(await page.getByText("Not approved yet").count()).toBe(3);
  });

  it("shows the state of servers", async () => {
    const { page } = observed;
    await goTo(page, "Servers");
    const row = (name: string) => page.getByRole("row", { name });
    await row("everything").getByText("Ready").waitFor();
    await row("missing")
      .getByText(/no-such-program-anywhere/)
      .waitFor();
    await row("everything").getByRole("link", { name: "everything" }).click();
    await page.getByRole("heading", { level: 1, name: "dev/everything" }).waitFor();
    await page.getByRole("region", { name: "Standard error of the server" }).waitFor();
    await takePicture(page, "server");
    expect(await barriers(page)).toEqual([]);
    expect(observed.problems).toEqual([]);
  });

  it("shows the calls of clients, with who made them", async () => {
    const { page } = observed;
    await goTo(page, "Calls");
    const row = page.getByRole("row", { name: /^\S+ echo/ });
    await row.getByText("Succeeded").waitFor();
    await row.getByRole("button", { name: "Details" }).click();
    const dialog = page.getByRole("dialog", { name: "Call" });
    await dialog.getByText(/Arguments and results are not shown/).waitFor();
    expect(await barriers(page)).toEqual([]);
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "detached" });
    expect(observed.problems).toEqual([]);
  });

  it.each(["dark", "narrow"])("can be used when it is %s", async (kind) => {
    const narrow = { viewport: { width: 320, height: 640 } };
    const options = kind === "dark" ? { colorScheme: "dark" as const } : narrow;
    const other = await openDashboard(cleanup, browser(), workbench, options);
    const { page } = other;
    for (const title of TITLES) {
      await goTo(page, title);
      await takePicture(page, `${title.toLowerCase().replace(" ", "-")}-${kind}`);
      expect([title, await barriers(page, RULES_OF_LOOKS)]).toEqual([title, []]);
      const overflow =
        "document.documentElement.scrollWidth - document.documentElement.clientWidth";
      expect([title, await page.evaluate(overflow)]).toEqual([title, 0]);
    }
    expect(other.problems).toEqual([]);
  });

  it("stays signed in after a reload, until the user signs out", async () => {
    const { page } = await openDashboard(cleanup, browser(), workbench);
    await page.reload();
    await isLive(page);
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.getByText("mcp-workbench dashboard").waitFor();
    await page.reload();
    await page.getByText("mcp-workbench dashboard").waitFor();
    await isLoaded(page);
    expect(await barriers(page)).toEqual([]);
  });
});
