/**
 * A configuration of the folder that changes while it is served takes effect once it is trusted
 * again.
 */
import { describe, expect, it } from "vitest";

import { listTools } from "../support/calls.ts";
import { perTest } from "../support/disposables.ts";
import { type Config, fixture, toolbox } from "../support/servers.ts";
import { prepareWorkbench, runCommand, startIn } from "../support/workbench.ts";

const cleanup = perTest();
const configOf = (...names: readonly string[]): Config => ({
  log: { level: "info" },
  toolboxes: Object.fromEntries(names.map((name) => [name, toolbox({ fx: fixture() })])),
});

describe("a served configuration from the current folder", () => {
  it("is replaced by a change only once it is trusted, and then without a restart", async () => {
    const prepared = prepareWorkbench(cleanup, configOf("first"), { args: ["serve"] });
    // The program finds the file by the folder that it is started in.
    const { WORKBENCH_CONFIG: _named, ...env } = prepared.env;
    const place = { ...prepared, env };
    const trust = (): void => expect(runCommand(place, "trust", "--yes").code).toBe(0);
    trust();
    const workbench = await startIn(cleanup, place);
    const { client } = workbench;
    expect(JSON.stringify(await listTools(client))).toContain("first");

    workbench.writeConfig(configOf("first", "second"));
    const refused = "configuration not applied: Configuration not trusted";
    await client.when(() => client.stderr.includes(refused), "the refusal");
    expect(client.stderr).toContain("has changed since you trusted it");
    expect(JSON.stringify(await listTools(client))).not.toContain("second");

    trust();
    await client.when(() => client.stderr.includes("configuration applied"), "the change");
    expect(JSON.stringify(await listTools(client))).toContain("second");
  });

  it("is replaced at once if the user named it", async () => {
    const place = prepareWorkbench(cleanup, configOf("first"));
    const workbench = await startIn(cleanup, place);
    workbench.writeConfig(configOf("first", "second"));
    const { client } = workbench;
    await client.when(() => client.stderr.includes("configuration applied"), "the change");
    expect(JSON.stringify(await listTools(client))).toContain("second");
  });
});
