/**
 * Every recipe of docs/secrets.md runs as it is written, with a program of that name on the PATH. In
 * the full suite because each page test starts several programs; docs.test.ts checks all pages in `npm
 * test`.
 */
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { newFolder } from "../support/new-folder.ts";
import { parseConfig } from "../../src/config/load.ts";
import type { ServerSettings } from "../../src/config/types.ts";
import { NO_LOG } from "../../src/log.ts";
import { SecretResolver } from "../../src/servers/secrets/secret-resolver.ts";
import { Guard } from "../../src/servers/transport/stdio/guard.ts";
import { serversIn } from "../../src/workbench/scopes.ts";
import { blocksOf } from "./blocks.ts";

const page = readFileSync(new URL("../../docs/secrets.md", import.meta.url), "utf8");
const PROGRAMS = ["op", "vault", "pass", "aws", "gcloud"];
const configs = blocksOf(page)
  .filter(({ language }) => language === "jsonc")
  .map(({ lines }) => lines.join("\n"))
  .filter((text) => text.includes("secretCommands"));

let folder = "";
const path = process.env["PATH"];
beforeAll(() => {
  folder = newFolder("workbench-recipes");
  for (const name of PROGRAMS)
    writeFileSync(join(folder, name), `#!/bin/sh\necho "${name} $*"\n`, { mode: 0o755 });
  process.env["PATH"] = `${folder}:${path}`;
});
afterAll(() => {
  process.env["PATH"] = path;
  rmSync(folder, { recursive: true, force: true });
});

async function serversOf(text: string): Promise<readonly ServerSettings[]> {
  return serversIn((await parseConfig(text, { env: {}, cwd: folder })).toolboxes);
}

// The programs that replace those of the recipes are scripts for a POSIX shell.
describe.runIf(process.platform !== "win32")("the recipes in docs/secrets.md", () => {
  it("print the secret that a server gets", async () => {
    const resolver = new SecretResolver({
      log: NO_LOG,
      guard: new Guard(),
      signal: new AbortController().signal,
      hide: () => {},
    });
    const used = new Set<string>();
    for (const server of (await Promise.all(configs.map(serversOf))).flat()) {
      const { transport } = await resolver.resolve(server);
      for (const part of server.secretTexts.flatMap(({ parts }) => parts)) {
        if (typeof part === "string" || part.kind !== "command") continue;
        used.add(part.run.command[0] ?? "");
        expect(JSON.stringify(transport)).toContain(part.run.command.join(" "));
      }
    }
    expect([...used].sort()).toEqual(PROGRAMS.toSorted());
  });

  it("are the same in the table and in the configuration", () => {
    const inConfigs = configs.flatMap((text) =>
      Array.from(text.matchAll(/"command": (\[.*\])/g), ([, command = ""]) => command),
    );
    const rows = Array.from(page.matchAll(/^\| [^|]* \| `(\[[^`]+\])`/gm), ([, row = ""]) => row);
    expect(rows).toHaveLength(PROGRAMS.length);
    for (const row of rows) expect(inConfigs).toContain(row);
  });
});
