/**
 * Tools with odd names, schemas and results, in a real browser: every one can be opened and tried, and what is sent is
 * what was entered. `npm test` has the model of the form.
 */
import type { Locator, Page } from "playwright-core";
import { beforeAll, describe, expect, it } from "vitest";
import { tokensIn } from "../../src/workbench/accounting/text-tokens.ts";
import { useToolParams } from "../support/calls.ts";
import { HAS_BROWSER, type ObservedPage, sharedBrowser } from "../support/browser.ts";
import { goTo, openDashboard } from "../support/dashboard.ts";
import { perBlock } from "../support/disposables.ts";
import { type HttpWorkbench, startHttpWorkbench } from "../support/http-workbench.ts";
import { EXACT, ODD_NAMES, oddServer } from "../support/odd-server.ts";
import { waitFor } from "../support/proc.ts";
import { GENEROUS_MS } from "../support/raw-client.ts";
import { takePicture } from "../support/screenshots.ts";
import { dev } from "../support/servers.ts";

describe.skipIf(!HAS_BROWSER)("tools with odd", () => {
  const cleanup = perBlock();
  const browser = sharedBrowser();
  let workbench: HttpWorkbench;
  let observed: ObservedPage;
  let page: Page;

  beforeAll(async () => {
    const called = ["proto", "exact", "kinds", "ten_megabytes", "asks", "waits"];
    const overrides = Object.fromEntries(called.map((name) => [name, { class: "read" }]));
    const odd = { ...oddServer(cleanup), overrides };
    workbench = await startHttpWorkbench(cleanup, dev({ odd }));
    const client = workbench.client();
    await client.initialize();
    await client.ask("tools/call", useToolParams("dev/odd/kinds", {}));
    observed = await openDashboard(cleanup, browser(), workbench);
    ({ page } = observed);
  });

  const button = (name: string): Locator => page.getByRole("button", { name });
  const result = (): Locator => page.getByRole("region", { name: "text 1" });
  const show = async (name: string): Promise<void> => {
    await page.goto(`${workbench.url}/ui/#/tools/dev/odd/${encodeURIComponent(name)}`);
    await page.getByRole("heading", { level: 2, name }).waitFor();
  };

  it("names are listed and opened", async () => {
    await goTo(page, "Tools");
    const rows = page.getByRole("listitem").filter({ hasText: "dev/odd" });
    await rows.nth(ODD_NAMES.length).waitFor();
    const shown = await rows.locator("strong").allTextContents();
    expect(shown.slice(0, ODD_NAMES.length)).toEqual([
      "\\ud800",
      "../../ui/logout",
      "a?b#c%2F&d=1",
      "__proto__",
      "re\\u202everse",
      "zero\\u200bwidth",
    ]);
    // The first cannot be part of an address; the page says so instead of breaking.
    for (const index of ODD_NAMES.keys()) {
      await rows.nth(index).getByRole("link").click();
      if (index === 0)
        await waitFor(() => observed.problems.length > 0, GENEROUS_MS, "the report of the browser");
      else await page.getByRole("heading", { level: 2, name: shown[index] ?? "" }).waitFor();
    }
    await page.getByText("This tool takes no arguments.").waitFor();
    // The browser reports that there is nothing under the name of the first.
    expect(observed.problems.splice(0)).toEqual([expect.stringContaining("404")]);
  });

  it("schemas have forms: members of all objects, references in circles, thousands of fields", async () => {
    await show("proto");
    await page.getByLabel(/^__proto__/).fill("own");
    await button("Call the tool").click();
    await result().getByText('{"__proto__":"own"}').waitFor();
    await show("cyclic");
    await page
      .getByLabel(/^value/)
      .first()
      .waitFor();
    await show("wide");
    await page.getByLabel(/^Arguments/).waitFor();
    await show("long");
    await page.getByText(/It contains hidden characters: safe\\u202etxt\.exe/).waitFor();
    expect(observed.problems).toEqual([]);
  });

  it("kinds of arguments are sent as they were entered", async () => {
    await show("kinds");
    await takePicture(page, "form");
    await button("Call the tool").click();
    await page.getByText("A value is required").waitFor();
    await page.getByLabel(/^level/).selectOption("High");
    await page.getByLabel(/^count/).fill("10");
    await button("Call the tool").click();
    await page.getByText("Enter a number of at most 9.").waitFor();
    await page.getByLabel(/^count/).fill("9");
    await page.getByLabel(/^on/).selectOption("false");
    await page.getByLabel(/^either/).fill('["a"]');
    await button("Add to tags").click();
    await page.getByLabel("tags 1").fill("first");
    await page.getByLabel(/^city/).fill("Rome");
    await button("Call the tool").click();
    const sent = JSON.parse((await result().textContent()) ?? "") as unknown;
    expect(sent).toEqual({
      word: "ok",
      level: "high",
      count: 9,
      on: false,
      either: ["a"],
      tags: ["first"],
      place: { city: "Rome" },
    });
    expect(observed.problems).toEqual([]);
  });

  it("numbers are neither sent nor shown with other digits", async () => {
    await show("exact");
    await page.getByLabel(/^id/).fill(EXACT);
    await button("Call the tool").click();
    await page.getByText(/use “Edit as JSON”/).waitFor();
    await button("Edit as JSON").click();
    await page.getByLabel("Arguments").fill(`{"id": ${EXACT}}`);
    await button("Call the tool").click();
    const shown = page.getByRole("region", { name: "Result as JSON" });
    await shown.getByText(`"id": ${EXACT}`).waitFor();
    expect(await shown.textContent()).toContain(`\\"id\\": ${EXACT}`);
    expect(observed.problems).toEqual([]);
  });

  it("arguments as JSON are not lost on the way to the form", async () => {
    await show("kinds");
    await button("Edit as JSON").click();
    for (const [text, problem] of [
      ['{"word": ', /not JSON/],
      ['{"word": "ok", "unknown": 1}', /no field for.*unknown/],
    ] as const) {
      await page.getByLabel("Arguments").fill(text);
      await button("Use the form").click();
      await page.getByText(problem).waitFor();
      expect(await page.getByLabel("Arguments").inputValue()).toBe(text);
    }
    await page.getByLabel("Arguments").fill('{"word": "kept", "tags": ["a", "b"]}');
    await button("Use the form").click();
    expect(await page.getByLabel(/^word/).inputValue()).toBe("kept");
    expect(await page.getByLabel("tags 2").inputValue()).toBe("b");
    expect(observed.problems).toEqual([]);
  });

  it("results: ten megabytes, a question, and an end that never comes", async () => {
    await show("ten_megabytes");
    await button("Call the tool").click();
    const size = page.getByText(/, 10 MB, [\d,]+ tokens?/);
    await size.waitFor();
    const [, tokens = ""] = /([\d,]+) tokens/.exec((await size.textContent()) ?? "") ?? [];
    // Those of the whole result, of which a small part is shown.
    const shown = tokensIn("z".repeat(256 * 1024));
    expect(Number(tokens.replaceAll(",", ""))).toBeGreaterThan(30 * shown);
    await page.getByText(/The rest is not shown/).waitFor({ state: "attached" });
    await show("asks");
    await button("Call the tool").click();
    await page.getByText("There is nothing to enter.").waitFor();
    await takePicture(page, "question");
    await button("Send the answer").click();
    await page.getByRole("region", { name: "Result" }).waitFor();
    await show("waits");
    await button("Call the tool").click();
    await button("Cancel").click();
    await page.getByText("Cancelled. The server may have done part of its work.").waitFor();
    await page.goto(`${workbench.url}/ui/#/servers/dev/odd`);
    await page.getByText("the call was cancelled").waitFor();
    expect(observed.problems).toEqual([]);
  });
});
