/**
 * The commands of docs/adding-servers.md, in the order of the page, with a registry on this machine.
 * In the full suite because each page test starts several programs; docs.test.ts checks all pages in
 * `npm test`.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";

import { parseConfig } from "../../src/config/load.ts";
import { cliPlace, ownConfig, runCli } from "../support/cli.ts";
import { perTest } from "../support/disposables.ts";
import { registryEntry, startRegistry, WEATHER } from "../support/registry.ts";
import { toolbox } from "../support/servers.ts";
import { bundle, NOTES, NOTES_SERVER } from "../support/zip.ts";
import { blocksOf, difference, readable, shownIn } from "./blocks.ts";

const page = readFileSync(new URL("../../docs/adding-servers.md", import.meta.url), "utf8");
const disposables = perTest();

describe("docs/adding-servers.md", () => {
  it("shows what the commands do, and the servers work afterwards", async () => {
    const registry = await startRegistry(disposables);
    registry.entries.push(registryEntry(WEATHER));
    const place = cliPlace(disposables);
    const config = ownConfig(place);
    const web = toolbox({ other: { command: "node" } }, "For the web");
    writeFileSync(
      config,
      `// mine\n${JSON.stringify({ registry, toolboxes: { web } }, pick, 2)}\n`,
    );
    writeFileSync(join(place.env["PATH"] ?? "", "npx"), "#!/bin/sh\n", { mode: 0o755 });
    writeFileSync(join(place.cwd, "notes.mcpb"), bundle(NOTES, [], NOTES_SERVER));
    const blocks = blocksOf(page).filter(({ language }) => language === "console");
    expect(blocks).toHaveLength(4);
    for (const { command, output } of blocks.flatMap(shownIn)) {
      const [, line = "", file] = /^mcp-workbench ([^<]+?)(?: < (\S+))?$/.exec(command) ?? [];
      const input = file === undefined ? "" : "wk-4711-secret\n";
      if (line.startsWith("remove")) await worksAndKeepsSecrets();
      const { code, stdout, stderr } = await runCli(place, line.split(" "), { input });
      expect(code, stderr).toBe(0);
      const isList = line.startsWith("registry");
      const printed = readable(isList ? stdout + stderr : stderr);
      expect(difference(output, printed), `${command}\n${printed.join("\n")}`).toBeUndefined();
    }

    async function worksAndKeepsSecrets(): Promise<void> {
      const text = readFileSync(config, "utf8");
      expect(text).toMatch(/^\/\/ mine\n/);
      expect(text).toContain('"WEATHER_API_KEY": "${WEATHER_API_KEY}"');
      expect(text).toContain('"NOTES_KEY": "${NOTES_KEY}"');
      expect(text).not.toMatch(/wk-4711|correct-horse/);
      const secrets = readFileSync(join(config, "../secrets.env"), "utf8");
      expect(secrets).toMatch(/wk-4711[^]*correct-horse-battery/);
      const { stdout } = await runCli(place, ["list", "web/notes", "--json"]);
      expect(stdout).toContain(`Lists the notes in ${place.home}/notes"`);
    }
  });

  it("has a configuration for a private registry that is valid", async () => {
    const [block] = blocksOf(page).filter(({ language }) => language === "jsonc");
    const { registry } = await parseConfig(block?.lines.join("\n") ?? "", { env: {} });
    expect(registry).toMatchObject({
      url: "https://registry.example.com",
      secretTexts: [
        { at: ["token"], parts: ["", { kind: "keychain", name: "REGISTRY_TOKEN" }, ""] },
      ],
    });
  });
});

/** The address of the fixture is all that the configuration gets of it. */
function pick(key: string, value: unknown): unknown {
  return key === "registry" ? { url: (value as { readonly url: string }).url } : value;
}
