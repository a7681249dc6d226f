/** Saved scripts: files that are tools. In the full suite because each test starts a program; the page test of docs/scripts.md calls one. */
import { readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { ListToolsResultSchema } from "@modelcontextprotocol/sdk/types.js";
import { describe, expect, it } from "vitest";
import {
  callTool,
  failureOf,
  listTools,
  openToolbox,
  textOf,
  toolErrorOf,
  useTool,
} from "../support/calls.ts";
import { type AuditRow, auditRows } from "../support/audit.ts";
import { type Disposables, perTest } from "../support/disposables.ts";
import { namesOf } from "../support/native.ts";
import { waitFor } from "../support/proc.ts";
import { GENEROUS_MS, type RawClient } from "../support/raw-client.ts";
import { searchAllServers } from "../support/search.ts";
import { type Config, dev, fixture } from "../support/servers.ts";
import {
  type Place,
  prepareWorkbench,
  runCommand,
  startIn,
  startWorkbench,
  temporaryFolder,
} from "../support/workbench.ts";

const cleanup = perTest();
const EXAMPLE = fileURLToPath(new URL("../../examples/saved-scripts/", import.meta.url));

const GREET = `export const description = "Greets several people.";
export const input = {
  type: "object",
  properties: { names: { type: "array", items: { type: "string" } } },
  required: ["names"],
};
interface Input { names: string[] }
export async function run({ names }: Input): Promise<string[]> {
  return Promise.all(names.map((name: string) => call("dev/fx/echo", { text: \`Hello \${name}\` })));
}
`;
const SUM = `export const description = "Adds numbers.";
export const run = () => 1 + 1;
`;

interface Folder {
  readonly path: string;
  write(name: string, text: string): void;
}

function scriptsFolder(disposables: Disposables, files: Readonly<Record<string, string>>): Folder {
  const path = temporaryFolder(disposables);
  // At once, because a file that is empty for a moment is another change.
  const write = (name: string, text: string): void => {
    writeFileSync(join(path, `${name}.new`), text);
    renameSync(join(path, `${name}.new`), join(path, name));
  };
  for (const [name, text] of Object.entries(files)) write(name, text);
  return { path, write };
}

const config = (
  folder: Folder,
  options: Omit<Config, "toolboxes"> = {},
  more: object = {},
): Config => dev({ fx: fixture(), saved: { scripts: folder.path, ...more } }, options);

const namesIn = async (client: RawClient): Promise<string[]> =>
  (await openToolbox(client, "dev")).tools
    .filter(({ server }) => server === "saved")
    .map(({ name }) => name);

describe("a saved script", () => {
  it("is found, described and called like any tool", async () => {
    const folder = scriptsFolder(cleanup, {
      "greet.ts": GREET,
      "sum.js": SUM,
      "prints.js": `export const description = "Prints."; export const run = () => (console.log("x"), 7);`,
      "nothing.js": `export const description = "Nothing."; export const run = () => {};`,
      "broken.ts": "export const description = ;",
      "silent.js": "export const run = () => 1;",
      "notes.txt": "not a script",
    });
    const place = prepareWorkbench(cleanup, config(folder));
    const { client } = await startIn(cleanup, place);
    expect(await searchAllServers(client, "greets people", { limit: 1 })).toBe(
      "dev/saved/greet(names: string[]) — Greets several people",
    );
    expect(textOf(await useTool(client, "dev/saved/greet", { names: ["Ann", "Bob"] }))).toBe(
      '["Hello Ann","Hello Bob"]',
    );
    expect(await namesIn(client)).toEqual(["greet", "nothing", "prints", "sum"]);
    // As printed, in a script.
    const script =
      'return (await call("dev/saved/greet", { names: ["Eve"] })).concat(await call("dev/saved/sum", {}))';
    expect(textOf(await callTool(client, "run_script", { script }))).toBe('["Hello Eve",2]');
    // What it prints is for people.
    const values =
      'return [await call("dev/saved/prints", {}), await call("dev/saved/nothing", {})]';
    expect(textOf(await callTool(client, "run_script", { script: values }))).toBe("[7,null]");
    expect(toolErrorOf(await useTool(client, "dev/saved/greet", { names: "Ann" }))).toContain(
      "names: Expected list of string",
    );
    expect(toolErrorOf(await useTool(client, "dev/saved/broken", {}))).toContain("broken");
    // The answer to a question of an earlier process does not run it from the start.
    const extra = { requestState: "workbench-0-0" };
    expect(toolErrorOf(await useTool(client, "dev/saved/sum", {}, { extra }))).toContain(
      "the script is no longer waiting for input",
    );
    const reported = "script left out: broken.ts: SyntaxError: Unexpected token";
    await client.when(() => client.stderr.includes(reported), "the message in the log");
    const { stdout } = runCommand(place, "logs", "saved");
    expect(stdout).toContain(
      "broken.ts: SyntaxError: Unexpected token (TypeScript) at line 1:28: export const description = ;",
    );
    expect(stdout).toContain('silent.js: it needs a description: export const description = "…"');
  });

  it("appears, changes and disappears with its file, and says where it failed", async () => {
    const folder = scriptsFolder(cleanup, { "sum.js": SUM });
    // Clients refuse a whole list of tools because of one that does not have the right types.
    folder.write("wrong.js", `${SUM}export const annotations = { readOnlyHint: "yes" };`);
    const { client } = await startWorkbench(cleanup, config(folder, { toolMode: "dynamic" }));
    await callTool(client, "open_toolbox", { toolbox: "dev" });
    expect(
      ListToolsResultSchema.safeParse((await client.request("tools/list", {})).result),
    ).toMatchObject({ success: true });
    const listed = async (): Promise<string[]> =>
      namesOf(await listTools(client)).filter((name) => name.startsWith("dev__saved__"));
    expect(await listed()).toEqual(["dev__saved__sum"]);
    const [sum] = (await listTools(client)).filter(({ name }) => name === "dev__saved__sum");
    expect(JSON.stringify(sum)).not.toContain("mcp-workbench/source");
    expect(textOf(await callTool(client, "dev__saved__sum", {}))).toBe("2");
    const changes = (): number => client.notificationsOf("notifications/tools/list_changed").length;
    const changed = async (change: () => void): Promise<void> => {
      const before = changes();
      change();
      await waitFor(() => changes() > before, GENEROUS_MS, "a changed list of tools");
    };
    await changed(() => folder.write("greet.ts", GREET));
    expect(await listed()).toEqual(["dev__saved__greet", "dev__saved__sum"]);
    await changed(() =>
      folder.write("sum.js", `${SUM.replace("Adds", "Fails with")}`.replace("1 + 1", "missing()")),
    );
    const error = toolErrorOf(await callTool(client, "dev__saved__sum", {}));
    expect(error).toContain("ReferenceError");
    expect(error).toMatch(/at sum\.js:2:26\n2 \| export const run = \(\) => missing\(\);\n/);
    await changed(() => rmSync(join(folder.path, "greet.ts")));
    expect(await listed()).toEqual(["dev__saved__sum"]);
  });

  it("passes the policy itself, and so do its calls; both are in the audit log", async () => {
    const folder = scriptsFolder(cleanup, { "greet.ts": GREET, "sum.js": SUM });
    const rules = [
      { tools: ["fx/echo"], action: "deny", reason: "no echo" },
      { tools: ["saved/sum"], action: "deny", reason: "no sums" },
    ];
    const place = prepareWorkbench(
      cleanup,
      config(folder, { policy: { rules }, audit: { enabled: true } }),
    );
    const { client, stop } = await startIn(cleanup, place);
    const refused = toolErrorOf(await useTool(client, "dev/saved/greet", { names: ["Ann"] }));
    expect(refused).toContain("ToolError");
    expect(failureOf(await useTool(client, "dev/saved/sum", {}))).toBeTruthy();
    await stop();
    const entryOf = (name: string): AuditRow | undefined =>
      auditRows(place).find(({ tool }) => tool === name);
    expect(entryOf("greet")).toMatchObject({ toolbox: "dev", server: "saved" });
    expect(entryOf("sum")).toMatchObject({ outcome: "denied" });
    expect(entryOf("echo")).toMatchObject({ outcome: "denied", parent: entryOf("greet")?.["id"] });
  });

  it("is pinned with its source", async () => {
    const folder = scriptsFolder(cleanup, { "sum.js": SUM });
    const place = prepareWorkbench(cleanup, config(folder));
    expect(runCommand(place, "lock").code).toBe(0);
    folder.write("sum.js", SUM.replace("1 + 1", "1 + 2"));
    expect(runCommand(place, "diff").stdout).toMatch(
      /tool sum changed\n +source: .*run = \(\) => 1 \+ .*\[-1;?-\]\{\+2;?\+\}/,
    );
    place.writeConfig(config(folder, { pins: "enforce" }));
    const { client } = await startIn(cleanup, place);
    expect(await namesIn(client)).toEqual([]);
    expect(failureOf(await useTool(client, "dev/saved/sum", {}))).toContain("sum");
  });

  it("gets its class from an override, or its annotations if they are trusted", async () => {
    const reading = SUM.replace(
      "export const run",
      "export const annotations = { readOnlyHint: true };\nexport const run",
    );
    const folder = scriptsFolder(cleanup, { "sum.js": reading, "other.js": SUM });
    const more = { annotations: "trust", overrides: { other: { class: "write" } } };
    const { client } = await startWorkbench(
      cleanup,
      config(folder, { policy: { readOnly: true } }, more),
    );
    expect(textOf(await useTool(client, "dev/saved/sum", {}))).toBe("2");
    expect(failureOf(await useTool(client, "dev/saved/other", {}))).toBeTruthy();
  });

  it("is off with the scripts", async () => {
    const folder = scriptsFolder(cleanup, { "sum.js": SUM });
    const place = prepareWorkbench(cleanup, config(folder));
    expect(runCommand(place, "call", "dev/saved/sum")).toMatchObject({ code: 0, stdout: "2\n" });
    place.writeConfig(config(folder, { scripts: { enabled: false } }));
    const { code, stderr } = runCommand(place, "call", "dev/saved/sum");
    expect(code).not.toBe(0);
    expect(stderr).toContain("scripts.enabled");
    expect(runCommand(place, "search", "adds", "numbers").stdout).not.toContain("dev/saved");
  });

  it("shares the limits of the script that calls it", async () => {
    const folder = scriptsFolder(cleanup, {
      "many.js": `export const description = "Makes calls.";
export const run = async ({ n }) => { for (let i = 0; i < n; i++) await call("dev/fx/echo", { text: "x" }); return n };`,
      "spin.js": `export const description = "Computes.";
export const run = ({ ms }) => { for (const end = Date.now() + ms; Date.now() < end;); };`,
    });
    const { client } = await startWorkbench(
      cleanup,
      // Time in which a script waits for a processor counts, too.
      config(folder, { scripts: { calls: 20, cpuMs: 6000 } }),
    );
    const many = 'for (let i = 0; i < 4; i++) await call("dev/saved/many", { n: 6 });';
    expect(toolErrorOf(await callTool(client, "run_script", { script: many }))).toContain(
      "The scripts of this call made more than 20 calls in all (setting scripts.calls)",
    );
    const spin = 'for (let i = 0; i < 4; i++) await call("dev/saved/spin", { ms: 2500 });';
    expect(toolErrorOf(await callTool(client, "run_script", { script: spin }))).toContain(
      "computed for more than 6000 ms in all (setting scripts.cpuMs)",
    );
    // Each call of a client has its own.
    expect(textOf(await useTool(client, "dev/saved/many", { n: 20 }))).toBe("20");
  });

  it("has the scope of its client, also if that sees a single server", async () => {
    const folder = scriptsFolder(cleanup, { "greet.ts": GREET, "sum.js": SUM });
    const args = ["serve", "--server", "dev/saved"];
    const { client } = await startWorkbench(cleanup, config(folder), { args });
    expect(namesOf(await listTools(client))).toEqual(["greet", "sum"]);
    expect(textOf(await callTool(client, "sum", {}))).toBe("2");
    const error = toolErrorOf(await callTool(client, "greet", { names: ["Ann"] }));
    expect(error).toMatch(/^ToolError: .*'fx'.* at greet\.ts:9:\d+\n9 \| /);
  });

  it("is explained by doctor if it is left out", () => {
    const folder = scriptsFolder(cleanup, { "sum.js": SUM, "sp ace.ts": SUM });
    const place = prepareWorkbench(cleanup, config(folder));
    const { stdout } = runCommand(place, "doctor");
    expect(stdout).toContain("script left out: sp ace.ts: its name must begin with a letter");
  });
});

describe("the example of saved scripts", () => {
  it("counts words", () => {
    const place: Place = prepareWorkbench(cleanup, dev({}));
    const example = { ...place, configFile: join(EXAMPLE, "workbench-config.json") };
    const run = runCommand(example, "call", "workspace/scripts/count-words", "folder=.");
    expect(run).toMatchObject({ code: 0 });
    const csv = readFileSync(join(EXAMPLE, "../demo/files/harbours.csv"), "utf8");
    const words = csv.split(/\s+/).filter(Boolean).length;
    expect(JSON.parse(run.stdout)).toContainEqual({
      name: "harbours.csv",
      lines: csv.split("\n").length,
      words,
    });
  });
});
