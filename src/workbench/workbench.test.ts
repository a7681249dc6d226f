import { describe, expect, it, vi } from "vitest";

import { resolveConfig } from "../config/load.ts";
import type { WorkbenchConfig } from "../config/schema.ts";
import type { WorkbenchSettings } from "../config/types.ts";
import { Workbench } from "./workbench.ts";

function settings(toolboxes: WorkbenchConfig["toolboxes"], env: Record<string, string> = {}) {
  return resolveConfig({ toolboxes, log: { level: "silent" } }, { env, cwd: "." });
}

const box = (...servers: string[]): WorkbenchConfig["toolboxes"][string] => ({
  description: "d",
  mcpServers: Object.fromEntries(servers.map((name) => [name, { command: "none" }])),
});

const start = (given: WorkbenchSettings): Workbench => new Workbench(given, { cache: false });

describe("Workbench, when it shuts down,", () => {
  it("waits for work on calls whose server has answered", async () => {
    const workbench = start(await settings({ a: box("x") }));
    const { unfinished } = workbench.pipeline;
    let finish = (): void => {};
    unfinished.add(new Promise<void>((resolve) => (finish = resolve)));
    let ended = false;
    const ending = workbench.shutDown().then(() => (ended = true));
    await new Promise((resolve) => setImmediate(resolve));
    expect(ended).toBe(false);
    finish();
    expect(await ending).toBe(true);
  });
});

describe("Workbench, when its configuration changes,", () => {
  it("keeps servers that did not change, and adds and removes others", async () => {
    const workbench = start(await settings({ a: box("x", "y"), b: box("z") }));
    const before = workbench.toolboxes.get("a")?.servers.get("x");
    await workbench.apply(await settings({ a: box("x", "new"), c: box("z") }));
    expect([...workbench.toolboxes.keys()]).toEqual(["a", "c"]);
    expect([...(workbench.toolboxes.get("a")?.servers.keys() ?? [])]).toEqual(["x", "new"]);
    expect(workbench.toolboxes.get("a")?.servers.get("x")).toBe(before);
    await workbench.close();
  });

  it("updates the scopes it has handed out", async () => {
    const workbench = start(await settings({ a: box("x"), b: box("x") }));
    const all = workbench.toolboxes;
    const some = workbench.scopes.select(workbench.toolboxes, ["b", "c"]);
    expect([[...all.keys()], [...some.keys()]]).toEqual([["a", "b"], ["b"]]);
    await workbench.apply(await settings({ b: box("x"), c: box("x") }));
    expect([[...all.keys()], [...some.keys()]]).toEqual([
      ["b", "c"],
      ["b", "c"],
    ]);
    await workbench.close();
  });

  it("notifies its watchers once, if what clients see has changed", async () => {
    const workbench = start(await settings({ a: box("x") }));
    let notifications = 0;
    workbench.watchers.add({ onSurfaceChanged: () => void notifications++ });
    await workbench.apply(await settings({ a: box("x") }));
    expect(notifications).toBe(0);
    await workbench.apply(await settings({ a: box("x"), b: box("x") }));
    expect(notifications).toBe(1);
    await workbench.close();
  });

  it("updates the log settings", async () => {
    let written = "";
    const stderr = vi.spyOn(process.stderr, "write").mockImplementation((text) => {
      written += String(text);
      return true;
    });
    const workbench = start(await settings({ a: box("x") }));
    const { log } = workbench.host;
    log.error("not yet");
    const loud = { level: "debug", format: "json", file: undefined } as const;
    await workbench.apply({ ...workbench.settings, log: loud });
    written = "";
    log.debug("now");
    await workbench.apply({ ...workbench.settings, log: { ...loud, level: "silent" } });
    log.error("no more");
    stderr.mockRestore();
    expect(JSON.parse(written)).toMatchObject({ level: "debug", message: "now" });
    await workbench.close();
  });

  it("redacts both old and new secrets", async () => {
    const withToken = (token: string): Promise<WorkbenchSettings> => {
      const env = { API_TOKEN: "${API_TOKEN}" };
      const server = { command: "none", env };
      const toolboxes = { a: { description: "d", mcpServers: { x: server } } };
      return settings(toolboxes, { API_TOKEN: token });
    };
    const workbench = start(await withToken("first-s3cret-value"));
    const { redact } = workbench.host;
    await workbench.apply(await withToken("second-s3cret-value"));
    await workbench.apply(await withToken("third-s3cret-value"));
    expect(redact("first-s3cret-value, second-s3cret-value, third-s3cret-value, none")).toBe(
      "[redacted], [redacted], [redacted], none",
    );
    await workbench.close();
  });
});
