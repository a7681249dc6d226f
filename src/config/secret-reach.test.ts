import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { describe, expect, it } from "vitest";

import { perTest } from "../../test/support/disposables.ts";
import { temporaryFolder } from "../../test/support/workbench.ts";
import { parseConfig } from "./load.ts";

const disposables = perTest();

/** A configuration with this text, which every user of the machine can change. */
function foreignConfig(reference: string): { readonly file: string; readonly text: string } {
  const folder = temporaryFolder(disposables);
  const file = join(folder, "workbench-config.json");
  const config = {
    secretCommands: { token: { command: ["/bin/echo"] } },
    toolboxes: {
      dev: { description: "d", mcpServers: { api: { command: "x", env: { TOKEN: "@" } } } },
    },
  };
  const text = JSON.stringify(config).replace("@", reference);
  writeFileSync(file, text);
  chmodSync(file, 0o666);
  return { file, text };
}

// Windows has no permission bits.
describe.runIf(process.getuid !== undefined)("a configuration that other users can change", () => {
  it.each([
    "${command:token}",
    // The same for a parser of JSON.
    "\\u0024{command:token}",
    "$\\u007bcommand:token}",
    "${comm\\u0061nd:token}",
  ])("runs no command, however the reference is written: %s", async (reference) => {
    const { file, text } = foreignConfig(reference);
    const env = { HOME: temporaryFolder(disposables) };
    const settings = await parseConfig(text, { file, env });
    const server = settings.toolboxes.get("dev")?.servers.get("api");
    expect(server?.unavailable).toContain("which other users can change");
  });

  it.each(["${file:/etc/hostname}", "\\u0024{file:/etc/hostname}"])(
    "reads files in its own folder only: %s",
    async (reference) => {
      const { file, text } = foreignConfig(reference);
      const env = { HOME: temporaryFolder(disposables) };
      const settings = await parseConfig(text, { file, env });
      const [part] = settings.toolboxes.get("dev")?.servers.get("api")?.secretTexts ?? [];
      expect(part?.parts[1]).toMatchObject({ kind: "file", within: join(file, "..") });
    },
  );
});
