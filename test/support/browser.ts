/** A real browser, Debian's `chromium-headless-shell`; installed if it is missing and can be. */
import { type Browser, type BrowserContextOptions, chromium, type Page } from "playwright-core";
import { afterAll, beforeAll } from "vitest";
import { findOrInstall } from "./debian-packages.ts";
import type { Disposables } from "./disposables.ts";
import { GENEROUS_MS } from "./raw-client.ts";

const PACKAGE = "chromium-headless-shell";

const EXECUTABLE = findOrInstall(PACKAGE, PACKAGE);
if (EXECUTABLE === undefined)
  console.warn(
    `Tests in a browser are skipped: ${PACKAGE} (a package of Debian) is not installed.`,
  );

/** Without a browser, the tests that need one are skipped, with the message above. */
export const HAS_BROWSER = EXECUTABLE !== undefined;

/** One browser for all tests of the surrounding block. */
export function sharedBrowser(): () => Browser {
  let browser: Browser | undefined;
  beforeAll(async () => {
    if (EXECUTABLE === undefined) return;
    // A sandbox of the browser needs rights that containers do not give; it opens our own page only.
    browser = await chromium.launch({ executablePath: EXECUTABLE, args: ["--no-sandbox"] });
  });
  afterAll(() => browser?.close());
  return () => {
    if (browser === undefined) throw new Error("the browser is not running");
    return browser;
  };
}

/** Runs in the page. */
const REPORT_VIOLATIONS = `document.addEventListener("securitypolicyviolation", (event) =>
  console.error("policy violated:", event.violatedDirective, event.blockedURI, event.sample));`;

/** A page, and everything that went wrong in it. */
export interface ObservedPage {
  readonly page: Page;
  /** Errors and warnings in the console, dialogs, violations of the content policy, requests to others. */
  readonly problems: string[];
}

export async function openPage(
  disposables: Disposables,
  browser: Browser,
  origin: string,
  options: BrowserContextOptions = {},
): Promise<ObservedPage> {
  const context = await browser.newContext({ reducedMotion: "reduce", ...options });
  disposables.defer(() => context.close());
  context.setDefaultTimeout(GENEROUS_MS);
  // A violation that is only reported would not be an error in the console.
  await context.addInitScript(REPORT_VIOLATIONS);
  const page = await context.newPage();
  const problems: string[] = [];
  page.on("console", (message) => {
    if (["error", "warning"].includes(message.type())) problems.push(message.text());
  });
  page.on("pageerror", (error) => problems.push(`uncaught: ${error.message}`));
  page.on("dialog", (dialog) => {
    problems.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on("request", (request) => {
    if (!request.url().startsWith(origin) && !request.url().startsWith("data:"))
      problems.push(`request to ${request.url()}`);
  });
  return { page, problems };
}
