import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";

import { CLI_ARTIFACTS } from "../../scripts/cli-artifacts.ts";
import { VERSION } from "../version.ts";

const read = (path: string): string =>
  readFileSync(new URL(`../../${path}`, import.meta.url), "utf8");
const readJson = (path: string): Record<string, unknown> =>
  JSON.parse(read(path)) as Record<string, unknown>;

describe("files derived from the table of commands and package.json", () => {
  it.each(CLI_ARTIFACTS)("$path is up to date; otherwise run `npm run generate`", (artifact) => {
    const current = read(artifact.path);
    expect(artifact.render(current)).toBe(current);
  });

  it("have the version and the registry name of the package", () => {
    const { version, mcpName } = readJson("package.json");
    const registry = readJson("server.json");
    expect(version).toBe(VERSION);
    expect(registry).toMatchObject({
      name: mcpName,
      version,
      packages: [{ registryType: "npm", identifier: "mcp-workbench", version }],
    });
    expect(mcpName).toMatch(/^io\.github\.[\w-]+\/mcp-workbench$/);
    expect(String(registry["description"]).length).toBeLessThanOrEqual(100);
    expect(readJson("manifest.json")).toMatchObject({ manifest_version: "0.3", version });
  });

  it("start the program that the package has", () => {
    const manifest = readJson("manifest.json") as {
      server: { entry_point: string; mcp_config: { args: string[] } };
    };
    const { bin } = readJson("package.json") as { bin: Record<string, string> };
    expect(manifest.server.entry_point).toBe(bin["mcp-workbench"]);
    expect(manifest.server.mcp_config.args[0]).toBe(`\${__dirname}/${bin["mcp-workbench"]}`);
  });
});
