/**
 * The same server in two toolboxes, with different folders: the case that toolboxes were made for.
 * In the full suite because it uses a published server; `npm test` has the same with fixture
 * servers (S-19).
 */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import {
  callTool,
  failureOf,
  listTools,
  openToolbox,
  resultOf,
  textOf,
  useTool,
} from "../support/calls.ts";
import { perTest } from "../support/disposables.ts";
import { waitFor } from "../support/proc.ts";
import { GENEROUS_MS, type Response } from "../support/raw-client.ts";
import { type Config, publicServer, toolbox } from "../support/servers.ts";
import { startWorkbench, temporaryFolder } from "../support/workbench.ts";

const cleanup = perTest();

/** Two folders, each with a file `note.txt` that names its toolbox. */
function twoFolders(toolMode: "proxy" | "dynamic"): {
  config: Config;
  note: (box: string) => string;
} {
  const root = temporaryFolder(cleanup);
  const note = (box: string): string => join(root, box, "note.txt");
  const boxes = ["dev", "prod"].map((box) => {
    mkdirSync(join(root, box));
    writeFileSync(note(box), `note of ${box}`);
    const filesystem = publicServer("filesystem", join(root, box));
    return [box, toolbox({ filesystem }, `Files of ${box}`)] as const;
  });
  return { config: { toolMode, toolboxes: Object.fromEntries(boxes) }, note };
}

const firstText = (response: Response): string => resultOf(response).content[0]?.text ?? "";

describe("two toolboxes that each have their own filesystem server", () => {
  it("can be open at the same time, and each call reaches the right folder", async () => {
    const { config, note } = twoFolders("proxy");
    const workbench = await startWorkbench(cleanup, config);
    const { client } = workbench;
    await Promise.all([openToolbox(client, "dev"), openToolbox(client, "prod")]);
    expect(workbench.servers()).toHaveLength(2);
    for (const box of ["dev", "prod"]) {
      const tool = `${box}/filesystem`;
      const read = await useTool(client, `${tool}/read_text_file`, { path: note(box) });
      expect(firstText(read)).toBe(`note of ${box}`);
      const path = join(note(box), "..", "written.txt");
      await useTool(client, `${tool}/write_file`, { path, content: `by ${box}` });
      expect(readFileSync(path, "utf8")).toBe(`by ${box}`);
    }
  });

  it("cannot reach the folder of each other", async () => {
    const { config, note } = twoFolders("proxy");
    const { client } = await startWorkbench(cleanup, config);
    const response = await useTool(client, "dev/filesystem/read_text_file", { path: note("prod") });
    expect(failureOf(response)).toMatch(/denied|outside/i);
    expect(response.line).not.toContain("note of prod");
  });

  it("have separate native tools, and closing one leaves the other open", async () => {
    const { config, note } = twoFolders("dynamic");
    const workbench = await startWorkbench(cleanup, config);
    const { client } = workbench;
    await openToolbox(client, "dev");
    await openToolbox(client, "prod");
    const read = (box: string): Promise<Response> =>
      callTool(client, `${box}__filesystem__read_text_file`, { path: note(box) });
    expect([firstText(await read("dev")), firstText(await read("prod"))]).toEqual([
      "note of dev",
      "note of prod",
    ]);

    const before = new Set(workbench.servers().map(({ pid }) => pid));
    await callTool(client, "close_toolbox", { toolbox: "dev" });
    await waitFor(() => workbench.servers().length === 1, GENEROUS_MS, "the server of dev to end");
    expect(before.has(workbench.servers()[0]?.pid ?? 0)).toBe(true);
    expect(firstText(await read("prod"))).toBe("note of prod");
    expect(failureOf(await read("dev"))).toContain("dev__filesystem__read_text_file");
    const names = (await listTools(client)).map(({ name }) => name);
    expect(names.filter((name) => name.startsWith("dev__"))).toEqual([]);
    expect(names).toContain("prod__filesystem__read_text_file");
  });

  it("can be put into one toolbox, and calls still reach the right server", async () => {
    const { config, note } = twoFolders("proxy");
    const { dev, prod } = config.toolboxes;
    const both = toolbox({
      left: dev?.mcpServers.filesystem ?? publicServer("filesystem"),
      right: prod?.mcpServers.filesystem ?? publicServer("filesystem"),
    });
    const { client } = await startWorkbench(cleanup, { toolboxes: { both } });
    const opened = await openToolbox(client, "both");
    expect(opened.tools.filter(({ name }) => name === "read_text_file")).toHaveLength(2);
    const left = await useTool(client, "both/left/read_text_file", { path: note("dev") });
    const right = await useTool(client, "both/right/read_text_file", { path: note("prod") });
    expect([firstText(left), firstText(right)]).toEqual(["note of dev", "note of prod"]);
    expect(textOf(await useTool(client, "both/left/list_allowed_directories", {}))).toContain(
      "dev",
    );
  });
});
