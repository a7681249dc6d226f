/** Checks of the README that do not run its commands; readme-walk.full.test.ts runs them. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

import { runsWorkbench } from "../../src/clients/entry.ts";
import { parseConfig } from "../../src/config/load.ts";
import { blocksOf } from "./blocks.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const README = readFileSync(join(ROOT, "README.md"), "utf8");
const BLOCKS = blocksOf(README);
const inLanguage = (language: string) => BLOCKS.filter((block) => block.language === language);

describe("the README", () => {
  it("says on its first screen what the workbench is, and how to run and test it", () => {
    const screen = README.split("\n").slice(0, 24).join("\n");
    expect(screen).toContain("One MCP server in front of all your MCP servers");
    expect(screen).toContain("npm ci && npm start");
    expect(screen).toContain("npm ci && npm test");
  });

  it("shows the token costs that docs/discovery.md has", () => {
    const page = readFileSync(join(ROOT, "docs/discovery.md"), "utf8");
    const [, measured = "", direct = "", start = ""] =
      /^\| (\d+ servers, \d+ tools) \|.*\n.*\n.*directly.* ([\d,]+) \|\n.* ([\d,]+) \|$/m.exec(
        page,
      ) ?? [];
    const [, search = ""] = /^\| a search \| (\d+ to \d+),/m.exec(page) ?? [];
    expect(README).toContain(`| ${measured.replace(" servers", " popular servers")} |`);
    expect(README).toContain(`| connected directly | ${direct} |`);
    expect(README).toContain(`| through the workbench | ${start} |`);
    expect(README).toContain(`a search of ${search} tokens`);
    expect(readFileSync(join(ROOT, "docs/faq.md"), "utf8")).toContain(`and ${search} for a search`);
  });

  it("mentions only scripts and files that exist", () => {
    const { scripts } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as {
      scripts: Record<string, string>;
    };
    for (const [, name = ""] of README.matchAll(/`npm run (\w+)`/g))
      expect(scripts[name]).toBeDefined();
    for (const [, path = ""] of README.matchAll(/\]\(([^)#]+)\)/g))
      expect(() => readFileSync(join(ROOT, path)), path).not.toThrow(/ENOENT/);
  });

  it("shows settings that are valid", async () => {
    const [config] = inLanguage("jsonc");
    const env = { HOME: "/home/user", TICKETS_TOKEN: "x" };
    const settings = await parseConfig(config?.lines.join("\n") ?? "", { env });
    expect(settings.warnings).toEqual([]);
    expect([...settings.toolboxes.keys()]).toEqual(["dev", "tickets"]);
    const [client] = inLanguage("json");
    const { mcpServers } = JSON.parse(client?.lines.join("\n") ?? "") as {
      mcpServers: Record<string, Parameters<typeof runsWorkbench>[0]>;
    };
    expect(Object.values(mcpServers).every(runsWorkbench)).toBe(true);
  });
});
