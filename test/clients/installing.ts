import { readFile, writeFile } from "node:fs/promises";
import { beforeEach } from "vitest";

import { type Launch, launchOf } from "../../src/clients/entry.ts";
import { applyPlan, planInstall } from "../../src/clients/install.ts";
import type { Applied, InstallRequest } from "../../src/clients/install.ts";
import type { Plan } from "../../src/clients/plan.ts";
import { readServers } from "../../src/clients/read.ts";
import { planUndo } from "../../src/clients/undo-install.ts";
import { applyUninstall, planUninstall } from "../../src/clients/uninstall.ts";
import type { Uninstalled } from "../../src/clients/uninstall.ts";
import { perTest } from "../support/disposables.ts";
import { makeHome, rowOf } from "./home.ts";
import type { Home } from "./home.ts";

const launchFor = (config: string): Launch =>
  launchOf({ kind: "npx" }, { config, shared: true }, "linux");
export const LAUNCH = launchFor("/home/ada/workbench-config.json");
export const OTHER = launchFor("/home/ada/other-config.json");

/** What tests of installations do, in a home folder that is new for each test. */
// oxlint-disable-next-line explicit-function-return-type
export function installing() {
  const disposables = perTest();
  const at: { home: Home } = { home: undefined as never };
  beforeEach(async () => {
    at.home = await makeHome(disposables);
  });

  const plan = async (id: string, more: Partial<InstallRequest> = {}): Promise<Plan> =>
    await planInstall({
      row: rowOf(id),
      host: at.home.host,
      stateDir: at.home.stateDir,
      launch: LAUNCH,
      ...more,
    });

  const install = async (id: string, more: Partial<InstallRequest> = {}): Promise<Applied> =>
    await applyPlan(await plan(id, more), { stateDir: at.home.stateDir, host: at.home.host });

  const uninstall = async (
    id: string,
    file = at.home.fileOf(id),
    name?: string,
  ): Promise<Uninstalled> =>
    await applyUninstall(await planUninstall(rowOf(id), file, at.home.stateDir, name), {
      stateDir: at.home.stateDir,
      host: at.home.host,
    });

  const undo = async (id: string): Promise<Uninstalled> =>
    await applyUninstall(await planUndo(rowOf(id), at.home.fileOf(id), at.home.stateDir), at.home);

  const read = async (id: string): Promise<string> => await readFile(at.home.fileOf(id), "utf8");

  /** Edits the file as a user would. */
  async function addComment(id: string): Promise<void> {
    const comment = rowOf(id).format.startsWith("json") ? "// changed\n" : "# changed\n";
    const text = await read(id);
    await writeFile(
      at.home.fileOf(id),
      text.startsWith("\uFEFF") ? text + comment : comment + text,
    );
  }

  async function namesIn(id: string, file = at.home.fileOf(id)): Promise<readonly string[]> {
    const text = await readFile(file, "utf8");
    return (await readServers(rowOf(id), text, { file, scope: "user" })).map(({ name }) => name);
  }

  return Object.assign(at, { plan, install, uninstall, undo, read, addComment, namesIn });
}
