/**
 * The configuration, edited in a real browser: problems at their lines, the differences, backup and undo, and new
 * commands, which only the terminal can confirm. `npm test` has the requests behind it.
 */
import { readFileSync, renameSync, writeFileSync } from "node:fs";
import type { Page } from "playwright-core";
import { beforeAll, describe, expect, it } from "vitest";
import { barriers } from "../support/axe.ts";
import { HAS_BROWSER, type ObservedPage, sharedBrowser } from "../support/browser.ts";
import { goTo, openDashboard } from "../support/dashboard.ts";
import { perBlock } from "../support/disposables.ts";
import { type HttpWorkbench, startHttpWorkbench } from "../support/http-workbench.ts";
import { waitFor } from "../support/proc.ts";
import { GENEROUS_MS } from "../support/raw-client.ts";
import { takePicture } from "../support/screenshots.ts";
import { dev, fixture } from "../support/servers.ts";
import { runCommand } from "../support/workbench.ts";

describe.skipIf(!HAS_BROWSER)("the configuration in the dashboard", () => {
  const cleanup = perBlock();
  const browser = sharedBrowser();
  let workbench: HttpWorkbench;
  let observed: ObservedPage;
  let page: Page;

  beforeAll(async () => {
    workbench = await startHttpWorkbench(cleanup, dev({ fx: fixture() }), {
      before: ({ configFile, writeConfig }) =>
        writeConfig(JSON.stringify(JSON.parse(readFileSync(configFile, "utf8")), undefined, 2)),
    });
    observed = await openDashboard(cleanup, browser(), workbench);
    ({ page } = observed);
    await goTo(page, "Configuration");
  });

  const written = (): string => readFileSync(workbench.configFile, "utf8");
  const editor = () => page.getByLabel("Text of the configuration");
  const dialog = () => page.getByRole("dialog");
  // A check of the text that is under way when the file changes is refused.
  const problems = () => observed.problems.filter((one) => !one.includes("status of 409"));

  it("names problems at their lines", async () => {
    const text = await editor().inputValue();
    expect(text).toContain('"fx"');
    await editor().fill(text.replace('"description"', '"descriptoin"'));
    const line = text.split("\n").findIndex((one) => one.includes('"description"')) + 1;
    await page
      .getByRole("button", { name: `Line ${line}` })
      .first()
      .click();
    expect(await page.evaluate("document.activeElement.tagName")).toBe("TEXTAREA");
    expect(await page.getByRole("button", { name: "Review changes" }).isDisabled()).toBe(true);
    await takePicture(page, "configuration-problem");
    expect(await barriers(page)).toEqual([]);
    await page.getByRole("button", { name: "Discard changes" }).click();
    expect(await editor().inputValue()).toBe(text);
    expect(problems()).toEqual([]);
  });

  it("keeps what is typed while the user looks at other pages", async () => {
    const text = await editor().inputValue();
    await editor().fill(text.replace("Tools for tests", "Not saved yet"));
    await goTo(page, "Tools");
    await goTo(page, "Configuration");
    expect(await editor().inputValue()).toContain("Not saved yet");
    // The file changes in the meantime.
    writeFileSync(`${workbench.configFile}.new`, `${written()}\n`);
    renameSync(`${workbench.configFile}.new`, workbench.configFile);
    await page.getByText("The file has changed since you started to edit it.").waitFor();
    expect(await editor().inputValue()).toContain("Not saved yet");
    await page.getByRole("button", { name: "Discard my changes and load it" }).click();
    expect(await editor().inputValue()).toBe(`${text}\n`);
    expect(problems()).toEqual([]);
  });

  it("is saved after a look at the differences, and the change can be undone", async () => {
    const before = written();
    const text = await editor().inputValue();
    await editor().fill(text.replace("Tools for tests", "Tools for everyone"));
    await page.getByRole("button", { name: "Review changes" }).click();
    const diff = dialog().getByRole("region", { name: "Changes to the file" });
    expect(await diff.locator(".added").textContent()).toContain("Tools for everyone");
    await takePicture(page, "configuration-diff");
    expect(await barriers(page)).toEqual([]);
    await dialog().getByRole("button", { name: "Save" }).click();
    await page.getByText("Saved.").waitFor();
    expect(written()).toBe(before.replace("Tools for tests", "Tools for everyone"));

    await page.getByRole("button", { name: /^Undo/ }).click();
    await dialog().getByRole("button", { name: "Undo" }).click();
    await dialog().waitFor({ state: "detached" });
    expect(written()).toBe(before);
    // A moment after the dialog is gone.
    await waitFor(async () => (await editor().inputValue()) === text, GENEROUS_MS, "the old text");
    expect(problems()).toEqual([]);
  });

  it("gets a new command only after a confirmation in the terminal", async () => {
    const before = written();
    const text = await editor().inputValue();
    await editor().fill(
      text.replace('"mcpServers": {', '"mcpServers": { "more": { "command": "true" },'),
    );
    await page.getByRole("button", { name: "Review changes" }).click();
    await dialog()
      .getByText(/confirm it in the terminal/)
      .waitFor();
    await dialog().getByRole("button", { name: "Propose the change" }).click();
    const command = page.getByText(/^mcp-workbench dashboard confirm \w+/);
    await command.waitFor();
    await takePicture(page, "configuration-proposal");
    expect(await barriers(page)).toEqual([]);
    expect(written()).toBe(before);
    const id = /confirm (\w+)/.exec((await command.textContent()) ?? "")?.[1] ?? "";
    expect(runCommand(workbench, "dashboard", "confirm", id, "--yes").code).toBe(0);
    await page
      .getByRole("heading", { name: "Waiting for the terminal" })
      .waitFor({ state: "detached" });
    expect(written()).toContain('"more"');
    await goTo(page, "Servers");
    await page.getByRole("row", { name: /more/ }).waitFor();
    expect(problems()).toEqual([]);
  });
});
