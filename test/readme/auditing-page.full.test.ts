/**
 * What docs/auditing.md shows is what the program writes and prints. In the full suite because each
 * page test starts several programs; docs.test.ts checks all pages in `npm test`.
 */
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { auditRows } from "../support/audit.ts";
import { runCli } from "../support/cli.ts";
import { perTest } from "../support/disposables.ts";
import { dev, fixture } from "../support/servers.ts";
import { prepareWorkbench } from "../support/workbench.ts";
import { blocksOf } from "./blocks.ts";

const page = readFileSync(new URL("../../docs/auditing.md", import.meta.url), "utf8");
const cleanup = perTest();

describe("docs/auditing.md", () => {
  it("shows an entry with the fields that are written, and commands that work", async () => {
    const [shown = ""] = blocksOf(page)
      .filter(({ language }) => language === "json")
      .map(({ lines }) => lines.join("\n"));
    const place = prepareWorkbench(cleanup, dev({ fx: fixture() }, { audit: { enabled: true } }));
    const at = { ...place, cwd: place.dir };
    const call = ["call", "dev/fx/echo", "text=x", "--config", place.configFile];
    expect((await runCli(at, call)).code).toBe(0);
    const [row = {}] = auditRows(place);
    expect(Object.keys(row)).toEqual(Object.keys(JSON.parse(shown) as object));

    const [commands] = blocksOf(page).filter(({ language }) => language === "sh");
    const lines = (commands?.lines ?? []).filter((line) => !line.includes("--follow"));
    expect(lines).toHaveLength(5);
    for (const line of lines) {
      const words = line
        .replace(/\s+[#>].*$/, "")
        .split(/\s+/)
        .slice(1);
      const run = await runCli(at, words);
      expect(run.code, `${line}\n${run.stderr}`).toBe(0);
    }
  });
});
