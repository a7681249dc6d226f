/**
 * Signing in to a remote server from the dashboard, in a real browser. `npm test` has the sign-in itself, with
 * fake parts.
 */
import { describe, expect, it } from "vitest";
import { firstText, useToolParams } from "../support/calls.ts";
import { barriers } from "../support/axe.ts";
import { HAS_BROWSER, sharedBrowser } from "../support/browser.ts";
import { goTo, openDashboard } from "../support/dashboard.ts";
import { perBlock } from "../support/disposables.ts";
import { startHttpWorkbench } from "../support/http-workbench.ts";
import { Browser } from "../support/oauth/browser.ts";
import { startWorld } from "../support/oauth/world.ts";
import { takePicture } from "../support/screenshots.ts";

describe.skipIf(!HAS_BROWSER)("a server that needs a sign-in", () => {
  const cleanup = perBlock();
  const browser = sharedBrowser();

  it("is signed in to with a button, on a page that has nothing to do with the dashboard", async () => {
    const { server, authorization } = await startWorld(cleanup);
    const api = { url: server.url };
    const workbench = await startHttpWorkbench(cleanup, {
      credentials: "file",
      toolboxes: { dev: { description: "Remote tools", mcpServers: { api } } },
    });
    const client = workbench.client();
    await client.initialize();
    const call = () => client.ask("tools/call", useToolParams("dev/api/count", { id: "x" }));
    expect(firstText(await call())).toContain("mcp-workbench login dev/api");

    const { page, problems } = await openDashboard(cleanup, browser(), workbench);
    await goTo(page, "Servers");
    await page.getByRole("link", { name: "Sign in to api" }).click();
    await page.getByRole("button", { name: "Sign in to dev/api" }).click();
    const link = page.getByRole("link", { name: "Open the sign-in page" });
    await link.waitFor();
    await takePicture(page, "sign-in");
    expect(await barriers(page)).toEqual([]);
    const href = (await link.getAttribute("href")) ?? "";
    expect(href).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/login\/[\w-]+$/);
    const [opened] = await Promise.all([page.context().waitForEvent("page"), link.click()]);
    await opened.waitForURL((url) => url.origin === new URL(authorization.issuer).origin);
    expect(await opened.evaluate("[window.opener, document.referrer]")).toEqual([null, ""]);
    await opened.close();

    // The link was used; the next one is signed in with.
    await page.getByRole("button", { name: "Sign in to dev/api" }).click();
    const next = (await link.getAttribute("href")) ?? "";
    expect(next).not.toBe(href);
    expect((await new Browser().open(next)).status).toBe(200);
    await page.getByText("Signed in").waitFor();
    expect(await page.getByRole("button", { name: "Sign in to dev/api" }).count()).toBe(0);
    expect(firstText(await call())).toBe("count x");
    expect(problems).toEqual([]);
  });
});
