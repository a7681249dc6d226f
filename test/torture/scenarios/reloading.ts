/** Configurations that change while the program runs. */
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { callTool, listTools, openToolbox, textOf } from "../../support/calls.ts";
import { changes } from "../../support/native.ts";
import { type ServerEntry, toolbox, withOptions } from "../../support/servers.ts";
import { temporaryFolder } from "../../support/workbench.ts";
import { chaos } from "../chaos.ts";
import type { Rig, Run } from "../rig.ts";
import type { Scenario } from "../scenario.ts";
import { readStatus, readStatusAtOnce } from "../status.ts";

/** How long servers have to be ready before the tools of the others are published. */
const MAX_OPEN_MS = 9000;

async function reload(rig: Rig): Promise<void> {
  const patient = { timeouts: { callMs: rig.limit(20_000), totalMs: rig.limit(20_000) } };
  const run = await rig.start(
    { one: chaos(), two: chaos(), three: withOptions(chaos(), patient) },
    { toolMode: "dynamic" },
  );
  await openToolbox(run.client, "dev");
  const before = await pids(run);
  expect(new Set(Object.values(before)).size).toBe(4);

  await invalidFiles(rig, run, before);

  // A call on an unchanged server is in flight while another server changes.
  const until = join(temporaryFolder(rig.disposables), "answer");
  const slow = callTool(run.client, "dev__three__echo", { text: "in flight", until });
  await rig.wait(
    () => run.witness("dev", "three").callsOf("echo").length > 0,
    2000,
    "the call to be in flight",
  );
  const changesBefore = changes(run.process);
  const begin = performance.now();
  run.writeConfig(withServers(run, { two: chaos("--tools", "1") }));
  await rig.wait(() => lists(run, "dev__two__tool_0"), 10_000, "the new tool of a changed server");
  // A server that is not ready in time loses its old tools before it gets the new ones.
  const mayBeLate = performance.now() - begin >= MAX_OPEN_MS;
  writeFileSync(until, "");
  expect(textOf(await slow)).toBe("in flight");
  const after = await pids(run);
  expect(after["dev/two"]).not.toBe(before["dev/two"]);
  for (const server of ["dev/one", "dev/three", "calm/bystander"])
    expect(after[server], server).toBe(before[server]);
  await rig.settle(run, 1000);
  const changesOfTwo = changes(run.process) - changesBefore;
  expect(mayBeLate ? [1, 2] : [1]).toContain(changesOfTwo);
  run.writeConfig(withServers(run, { two: chaos("--tools", "1"), four: chaos() }));
  await rig.wait(() => lists(run, "dev__four__echo"), 10_000, "the tools of a new server");
  await rig.settle(run, 500);
  expect(changes(run.process) - changesBefore).toBe(changesOfTwo + 1);
  expect((await readStatus(run)).configProblem).toBeNull();
}

async function invalidFiles(rig: Rig, run: Run, before: Readonly<Record<string, unknown>>) {
  const valid = readFileSync(run.configFile, "utf8");
  const broken: Record<string, () => void> = {
    "a syntax error": () => run.writeConfig(`${valid.slice(0, -1)} ]`),
    "a schema error": () => run.writeConfig(valid.replace('"command"', '"comand"')),
    nothing: () => run.writeConfig(""),
    "half of it": () => run.writeConfig(valid.slice(0, valid.length / 2)),
    "no file": () => rmSync(run.configFile),
  };
  for (const [what, write] of Object.entries(broken)) {
    write();
    await rig.wait(
      async () => (await readStatusAtOnce(run)).configProblem !== null,
      5000,
      `${what} to be reported`,
    );
    expect(await pids(run), what).toEqual(before);
    run.writeConfig(valid);
    await rig.wait(
      async () => (await readStatusAtOnce(run)).configProblem === null,
      5000,
      `the valid file to be accepted after ${what}`,
    );
    expect(await pids(run), what).toEqual(before);
  }
}

function withServers({ config }: Run, changed: Record<string, ServerEntry>): Run["config"] {
  const servers = { ...config.toolboxes["dev"]?.mcpServers };
  for (const [name, entry] of Object.entries(changed))
    servers[name] = { ...servers[name], ...entry };
  return { ...config, toolboxes: { ...config.toolboxes, dev: toolbox(servers) } };
}

async function lists(run: Run, tool: string): Promise<boolean> {
  return (await listTools(run.client)).some(({ name }) => name === tool);
}

/** The process of each server, by its path. */
async function pids(run: Run): Promise<Record<string, number | null>> {
  const { toolboxes } = await readStatusAtOnce(run);
  return Object.fromEntries(
    toolboxes.flatMap(({ name, servers }) =>
      servers.map((server) => [`${name}/${server.name}`, server.pid] as const),
    ),
  );
}

export const reloading: readonly Scenario[] = [
  {
    id: "S-26",
    title:
      "a broken configuration changes nothing, and a valid change touches only the server that changed",
    naive: /in vain for a syntax error to be reported/,
    expected: { answerMs: 20_000 },
    play: reload,
  },
];
