import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";

import { perTest } from "../../../test/support/disposables.ts";
import { fakePrompt } from "../../../test/support/fake-terminal.ts";
import { temporaryFolder } from "../../../test/support/workbench.ts";
import { EnvFileStore } from "../../secrets/env-file-store.ts";
import { applyConfig } from "../../config/edits/config-edits.ts";
import { planConfig } from "./config-file.ts";

const disposables = perTest();

const configWith = (token: string): string =>
  JSON.stringify({
    toolboxes: {
      dev: { description: "d", mcpServers: { hub: { command: "hub", env: { TOKEN: token } } } },
    },
  });
const BEFORE = configWith("t0ken-v4lue-1234");

function scene() {
  const folder = temporaryFolder(disposables);
  const file = join(folder, "workbench-config.json");
  writeFileSync(file, BEFORE, { mode: 0o600 });
  const context = { env: { HOME: folder }, out: fakePrompt(false).out };
  const store = new EnvFileStore(join(folder, "secrets.env"));
  /** A change that moves a secret, as it is shown to the user before it is made. */
  const plan = async (value = "t0ken-v4lue-1234", name = "TOKEN") => ({
    ...(await planConfig(context, file, BEFORE, configWith(`\${${name}}`))),
    secrets: { store, values: new Map([[name, value]]) },
  });
  const changes = (): { what: string }[] => {
    const list = join(folder, ".local/state/mcp-workbench/config-changes.json");
    return existsSync(list) ? (JSON.parse(readFileSync(list, "utf8")) as { what: string }[]) : [];
  };
  return { folder, file, context, store, plan, changes };
}

describe("a change that moves secrets", () => {
  it("keeps what a command that was faster has stored and refers to", async () => {
    const { file, context, store, plan, changes } = scene();
    const [first, second] = [await plan(), await plan()];
    await applyConfig(context, first, "first");
    await expect(applyConfig(context, second, "second")).rejects.toMatchObject({
      code: "FILE_CHANGED",
    });
    expect(readFileSync(file, "utf8")).toBe(first.after);
    expect(await store.get(["TOKEN"])).toEqual(new Map([["TOKEN", "t0ken-v4lue-1234"]]));
    expect(changes().map(({ what }) => what)).toEqual(["first"]);
  });

  it("loses no secret to a command that makes the same change at the same time", async () => {
    const { file, context, store, plan } = scene();
    const edits = [await plan(), await plan(), await plan()];
    await Promise.allSettled(edits.map((edit, index) => applyConfig(context, edit, `${index}`)));
    expect(readFileSync(file, "utf8")).toBe(edits[0]?.after);
    expect(await store.get(["TOKEN"])).toEqual(new Map([["TOKEN", "t0ken-v4lue-1234"]]));
  });

  it("replaces no secret that was stored under the same name in the meantime", async () => {
    const { file, context, store, plan, changes } = scene();
    const edit = await plan();
    await store.set(new Map([["TOKEN", "a-different-one"]]));
    await expect(applyConfig(context, edit, "move")).rejects.toMatchObject({
      code: "FILE_CHANGED",
    });
    expect(readFileSync(file, "utf8")).toBe(BEFORE);
    expect(await store.get(["TOKEN"])).toEqual(new Map([["TOKEN", "a-different-one"]]));
    expect(changes()).toEqual([]);
  });

  it("leaves nothing behind if the configuration cannot be written", async () => {
    const { folder, file, context, plan, changes } = scene();
    const edit = await plan();
    // The user edits it in the meantime.
    writeFileSync(file, `${BEFORE}\n`);
    await expect(applyConfig(context, edit, "move")).rejects.toThrow("changed");
    expect(existsSync(join(folder, "secrets.env"))).toBe(false);
    expect(changes()).toEqual([]);
  });

  it("reports why secrets cannot be stored, and forgets the change", async () => {
    const { folder, file, context, plan, changes } = scene();
    const edit = await plan();
    mkdirSync(join(folder, "secrets.env"));
    await expect(applyConfig(context, edit, "move")).rejects.toThrow("not a regular file");
    expect(readFileSync(file, "utf8")).toBe(BEFORE);
    expect(changes()).toEqual([]);
  });
});
