/**
 * Runs the commands of docs/dashboard.md, as they are written there. In the full suite because each
 * page test starts several programs; docs.test.ts checks all pages in `npm test`.
 */
import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, it } from "vitest";

import { perTest } from "../support/disposables.ts";
import { startHttpWorkbench } from "../support/http-workbench.ts";
import type { Config } from "../support/servers.ts";
import { UiClient } from "../support/ui-client.ts";
import { PROGRAM } from "../support/workbench.ts";
import { blocksOf } from "./blocks.ts";

const PAGE = readFileSync(new URL("../../docs/dashboard.md", import.meta.url), "utf8");
const cleanup = perTest();

it("docs/dashboard.md: from the start of a workbench to a change that is confirmed", async () => {
  const blocks = blocksOf(PAGE);
  const [serve, open, print, confirm, ...more] = blocks
    .filter(({ language }) => language === "sh")
    .flatMap(({ lines }) => lines);
  expect(more).toEqual([]);
  expect(serve).toBe("mcp-workbench serve --http 7333");
  const example = blocks.find(({ language }) => language === "json")?.lines.join("\n") ?? "";
  const workbench = await startHttpWorkbench(cleanup, JSON.parse(example) as Config);

  const bin = join(workbench.dir, "bin");
  mkdirSync(bin);
  symlinkSync(PROGRAM, join(bin, "mcp-workbench"));
  const env = { ...workbench.env, PATH: `${bin}:${dirname(process.execPath)}:/usr/bin:/bin` };
  const run = (line: string) => {
    const { status, stdout, stderr } = spawnSync("/bin/sh", ["-c", line], {
      cwd: workbench.home,
      env,
      encoding: "utf8",
    });
    return { status, stdout, stderr };
  };
  // There is no screen, so no browser is opened.
  for (const line of [open, print]) {
    const { status, stdout } = run(line ?? "");
    expect(status, line).toBe(0);
    expect(stdout.trim()).toMatch(new RegExp(`^${workbench.url}/ui/#code=[\\w-]{22}$`));
  }
  const ui = new UiClient(workbench.url);
  expect((await ui.login(run(print ?? "").stdout.trim())).status).toBe(200);

  const { body: view } = await ui.get("/ui/api/config");
  expect(view.text).toContain('"payloads":true');
  expect(view).toMatchObject({ isInEffect: true, problems: [] });
  const text = view.text.replace('"notes-server"', '"other-server"');
  const { body: saved } = await ui.post("/ui/api/config/save", { text, version: view.version });
  const line = (confirm ?? "").replace("K7M2XQ", saved.proposal?.id ?? "");
  expect(line).toBe(saved.proposal?.command);
  const confirmed = run(`${line} --yes`);
  expect(confirmed.stderr).toContain("start dev/notes: other-server");
  expect(confirmed.status).toBe(0);
  expect(readFileSync(workbench.configFile, "utf8")).toContain("other-server");
  const backup = (await ui.get("/ui/api/config")).body.undo;
  expect(backup).toMatchObject({ what: "dashboard" });
});
