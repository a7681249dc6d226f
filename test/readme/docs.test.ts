/** The documentation mentions only what exists: commands, options, files, links. */
import { existsSync, readFileSync, readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

import { readArguments } from "../../src/cli/core/arguments.ts";
import { requireCommand } from "../../src/cli/help.ts";
import { parseConfig } from "../../src/config/load.ts";
import { blocksOf } from "./blocks.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const PAGES = [
  "README.md",
  "ARCHITECTURE.md",
  "CONTRIBUTING.md",
  "CHANGELOG.md",
  ...readdirSync(join(ROOT, "docs"))
    .filter((name) => name.endsWith(".md"))
    .map((name) => `docs/${name}`),
];
/** Values of variables that have to look like what they are. */
const VALUES: Readonly<Record<string, string>> = {
  REDIS_URL: "redis://127.0.0.1:6379",
  CLUSTER_KEY: Buffer.alloc(32).toString("base64"),
};
const read = (path: string): string => readFileSync(join(ROOT, path), "utf8");

/** The words of a line as a shell splits them, as far as our pages need it. */
function words(line: string): readonly string[] {
  return Array.from(line.matchAll(/(?:'[^']*'|"[^"]*"|[^\s'"])+/g), ([word]) =>
    word.replaceAll(/['"]/g, ""),
  );
}

/** Every command line of the workbench that a page shows; placeholders are not commands. */
function commandLines(page: string): readonly string[] {
  const fenced = blocksOf(page)
    .filter(({ language }) => ["sh", "console", "text"].includes(language))
    .flatMap(({ lines }) => lines);
  const inline = Array.from(
    page.matchAll(/`((?:npx (?:-y )?)?mcp-workbench [^`\n]+)`/g),
    ([, it = ""]) => it,
  );
  return [...fenced, ...inline]
    .map((line) => line.replace(/^(?:\$ )?\s*(?:npx (?:-y )?)?/, ""))
    .filter((line) => /^mcp-workbench [a-z]/.test(line))
    .map((line) => line.replace(/\s+#.*$/, "").replace(/ [|<>].*$/, ""))
    .filter((line) => !/…|[[\]]|COMMAND|\bSHELL\b|bash\|zsh/.test(line));
}

/** The anchors of a page's headings. */
function anchorsOf(page: string): readonly string[] {
  return Array.from(page.matchAll(/^#+ (.+)$/gm), ([, heading = ""]) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, "")
      .replaceAll(" ", "-"),
  );
}

describe.each(PAGES)("the page %s", (path) => {
  const page = read(path);

  it("shows commands and options that exist", () => {
    for (const line of commandLines(page)) {
      const [, name = "", ...rest] = words(line);
      expect(() => readArguments(requireCommand(name), rest), line).not.toThrow();
    }
  });

  it("shows configurations that are valid", async () => {
    const configs = blocksOf(page)
      .filter(({ language }) => language === "jsonc")
      .map(({ lines }) => lines.join("\n"))
      .filter((text) => text.startsWith("{"));
    for (const text of configs) {
      const names = Array.from(text.matchAll(/\$\{(\w+)/g), ([, name = ""]) => [
        name,
        VALUES[name] ?? "x",
      ]);
      const env = Object.fromEntries(names) as Record<string, string>;
      expect((await parseConfig(text, { env })).warnings, text).toEqual([]);
    }
  });

  it("links to pages and headings that exist", () => {
    for (const [, target = ""] of page.matchAll(/\]\((?!https?:)([^)]+)\)/g)) {
      const [file = "", anchor] = target.split("#");
      const linked = file === "" ? path : join(dirname(path), file);
      expect(existsSync(join(ROOT, linked)), target).toBe(true);
      const anchors = anchor === undefined ? [undefined] : anchorsOf(read(linked));
      expect(anchors, target).toContain(anchor);
    }
  });
});

it("ARCHITECTURE.md names files that exist", () => {
  const named = Array.from(
    read("ARCHITECTURE.md").matchAll(/`((?:[\w-]+\/)*[\w-]+\.(?:ts|mjs|json|md|cjs))`/g),
    ([, file = ""]) => file,
  );
  const sources = readdirSync(join(ROOT, "src"), { recursive: true }).map(String);
  const exists = (file: string): boolean =>
    existsSync(join(ROOT, file)) || sources.some((source) => `/${source}`.endsWith(`/${file}`));
  expect(named.length).toBeGreaterThan(20);
  expect(named.filter((file) => !exists(file))).toEqual([]);
});

it("the README links to every page of the documentation", () => {
  const linked = Array.from(read("README.md").matchAll(/\]\((docs\/[^)#]+)/g), ([, file]) => file);
  expect(PAGES.filter((path) => path.startsWith("docs/") && !linked.includes(path))).toEqual([]);
});
