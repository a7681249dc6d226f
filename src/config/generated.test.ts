import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { CONFIG_ARTIFACTS } from "../../scripts/config-artifacts.ts";
import { parseConfig } from "./load.ts";

describe("files generated from the configuration schema", () => {
  it.each(CONFIG_ARTIFACTS)(
    "include an up-to-date $path (otherwise run `npm run generate`)",
    (artifact) => {
      const file = new URL(`../../${artifact.path}`, import.meta.url);
      const current = readFileSync(file, "utf8");
      expect(artifact.render(current)).toBe(current);
    },
  );

  it("describe every key, for editors and for the documentation", () => {
    const undescribed: string[] = [];
    const visit = (rule: Record<string, unknown>, path: string): void => {
      if (path !== "" && rule["description"] === undefined) undescribed.push(path);
      const children = (rule["properties"] ?? {}) as Record<string, Record<string, unknown>>;
      for (const [key, child] of Object.entries(children)) visit(child, `${path}.${key}`);
      const alternatives = (rule["additionalProperties"] || {}) as Record<string, unknown>;
      for (const entry of [alternatives, ...((alternatives["anyOf"] ?? []) as object[])]) {
        const inner = (entry as Record<string, unknown>)["properties"];
        if (inner !== undefined) visit(entry as Record<string, unknown>, `${path}.*`);
      }
    };
    const schema = readFileSync(
      new URL("../../schema/config.schema.json", import.meta.url),
      "utf8",
    );
    visit(JSON.parse(schema) as Record<string, unknown>, "");
    expect(undescribed).toEqual([]);
  });
});

describe("docs/configuration.md", () => {
  it("contains an example that works", async () => {
    const docs = readFileSync(new URL("../../docs/configuration.md", import.meta.url), "utf8");
    const [, example = ""] = /```jsonc\n([^]*?)```/.exec(docs) ?? [];
    const settings = await parseConfig(example, { env: { HOME: "/h", GITHUB_TOKEN: "t" } });
    expect([...(settings.toolboxes.get("dev")?.servers.keys() ?? [])]).toEqual([
      "filesystem",
      "github",
    ]);
    expect(settings.warnings).toEqual([]);
  });
});
