/** Rules for the code of the dashboard that runs in browsers. */
import { describe, expect, it } from "vitest";
import {
  importsOf,
  isTest,
  resolveImport,
  sourceFiles,
  withoutComments,
} from "./support/source.ts";

const BROWSER = "dashboard/browser/";
const CONTRACT = "dashboard/contract.ts";
const files = sourceFiles().filter((file) => !isTest(file));
const page = files.filter(({ path }) => path.startsWith(BROWSER));

/** Everything that turns a text into markup, code or a style, and storage that other code could read. */
const FORBIDDEN =
  /innerHTML|outerHTML|insertAdjacentHTML|dangerouslySetInnerHTML|document\.write|createContextualFragment|DOMParser|setHTML|srcdoc|\beval\(|new Function|setAttribute\(|\.style\.cssText|style="|javascript:|localStorage|sessionStorage|document\.cookie|setInterval|<(?:script|iframe|object|embed|img|svg)\b/;

const linesWith = (pattern: RegExp): string[] =>
  page.flatMap(({ path, text }) =>
    withoutComments(text)
      .split("\n")
      .flatMap((line, i) => (pattern.test(line) ? [`${path}:${i + 1}: ${line.trim()}`] : [])),
  );

describe("the page of the dashboard", () => {
  it("has text nodes only, no markup, no polling and no storage", () => {
    expect(page.length).toBeGreaterThan(50);
    // The icon is a picture in an address, which no page can run.
    const icon = /dashboard\/browser\/icon\.ts:\d+: const ICON = /;
    expect(linesWith(FORBIDDEN).filter((line) => !icon.test(line))).toEqual([]);
  });

  it.each([
    'element.innerHTML = "x"',
    "<p dangerouslySetInnerHTML={{ __html: x }} />",
    '<p style="color: red" />',
    "setInterval(load, 1000)",
    "localStorage.setItem(a, b)",
    "<img src={icon} />",
  ])("is checked by a rule that finds %s", (line) => {
    expect(FORBIDDEN.test(line)).toBe(true);
  });

  it("links to its own places, and elsewhere only where that is shown", () => {
    const links = linesWith(/\bhref=/).filter((line) => !/href=\{(?:linkTo|linkOf)\(/.test(line));
    expect(links.map((line) => line.replace(/:\d+:/, ":")).toSorted()).toEqual([
      // It is an address of this machine, which is checked there.
      "dashboard/browser/pages/servers/sign-in-button.tsx: href={link.url}",
      // A server asks the user to open it: the page shows where it leads, and leaves no reference to itself.
      "dashboard/browser/parts/web-link.tsx: href={url}",
      'dashboard/browser/shell.tsx: <a class="skip" href="#main" onClick={skipToMain}>',
    ]);
  });

  it("imports only its own code, the contract, small text functions and Preact", () => {
    const wrong = page.flatMap(({ path, text }) =>
      importsOf(text).flatMap(({ specifier }) => {
        const target = resolveImport(path, specifier) ?? specifier;
        const isAllowed =
          target.startsWith(BROWSER) ||
          target === CONTRACT ||
          /^text\/[\w-]+\.ts$/.test(target) ||
          /^preact(?:\/hooks)?$/.test(target);
        return isAllowed ? [] : [`${path} → ${target}`];
      }),
    );
    expect(wrong).toEqual([]);
  });

  it("is imported by nothing else", () => {
    const users = files
      .filter(({ path }) => !path.startsWith(BROWSER))
      .filter(({ path, text }) =>
        importsOf(text).some(({ specifier }) =>
          resolveImport(path, specifier)?.startsWith(BROWSER),
        ),
      );
    expect(users.map(({ path }) => path)).toEqual([]);
  });
});
