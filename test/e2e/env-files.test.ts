/** Variables from files: `secrets.env`, `envFile` of a server, and variables that are not passed on. */
import { chmodSync, renameSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";

import { failureOf, fixtureStatus, useTool } from "../support/calls.ts";
import { perTest } from "../support/disposables.ts";
import { fakeKeychain } from "../support/fake-keychain.ts";
import { fixture, toolbox, withOptions } from "../support/servers.ts";
import { prepareWorkbench, startIn, temporaryFolder } from "../support/workbench.ts";

const cleanup = perTest();
const count = (text: string, part: string): number => text.split(part).length - 1;

describe("secrets.env", () => {
  it("is used for references only, and again when it changes or becomes private", async () => {
    const tools = withOptions(fixture("--dump-env"), { env: { MY_TOKEN: "${A_TOKEN}" } });
    const place = prepareWorkbench(
      cleanup,
      { log: { level: "info" }, toolboxes: { dev: toolbox({ tools }) } },
      { env: { A_TOKEN: "stale-from-the-client" } },
    );
    const secrets = join(dirname(place.configFile), "secrets.env");
    const write = (text: string): void => {
      writeFileSync(`${secrets}.new`, text, { mode: 0o600 });
      renameSync(`${secrets}.new`, secrets);
    };
    write("A_TOKEN=first-value-1\nOTHER=not-for-servers\n");
    const { client } = await startIn(cleanup, place);
    const env = async () => (await fixtureStatus(client, "dev/tools")).env ?? {};
    const applied = (): number => count(client.stderr, "configuration applied");

    expect(await env()).toMatchObject({ MY_TOKEN: "first-value-1" });
    expect(Object.keys(await env())).not.toContain("OTHER");
    expect(Object.keys(await env())).not.toContain("A_TOKEN");

    write("A_TOKEN=second-value-2\n");
    await client.when(() => applied() === 1, "the new value to be applied");
    expect(await env()).toMatchObject({ MY_TOKEN: "second-value-2" });

    chmodSync(secrets, 0o644);
    await client.when(() => client.stderr.includes("chmod 600"), "the warning");
    expect(await env()).toMatchObject({ MY_TOKEN: "second-value-2" });

    chmodSync(secrets, 0o600);
    await client.when(() => applied() === 2, "the private file to be applied");
    write("A_TOKEN=third-value-3\n");
    await client.when(() => applied() === 3, "the last value to be applied");
    expect(await env()).toMatchObject({ MY_TOKEN: "third-value-3" });
    expect(client.stderr).not.toMatch(/(?:first|second|third)-value/);
  });
});

describe("a stdio server", () => {
  it("gets the variables of its envFile, which is read at its start; its env wins", async () => {
    const folder = temporaryFolder(cleanup);
    const envFile = join(folder, "server.env");
    const tools = withOptions(fixture("--dump-env"), { envFile, env: { B_KEY: "from-env" } });
    const lost = withOptions(fixture(), { envFile: "none.env" });
    const place = prepareWorkbench(cleanup, { toolboxes: { dev: toolbox({ tools, lost }) } });
    const { client } = await startIn(cleanup, place);
    writeFileSync(envFile, "export A_KEY='zebra lantern'\nB_KEY=from-file\nnonsense\n");
    const { env } = await fixtureStatus(client, "dev/tools");
    expect(env).toMatchObject({ A_KEY: "zebra lantern", B_KEY: "from-env" });
    const missing = join(dirname(place.configFile), "none.env");
    expect(failureOf(await useTool(client, "dev/lost/status"))).toContain(
      `cannot read its envFile ${missing}: it does not exist`,
    );
  });

  it("that asks for a variable of the workbench fails with the setting that passes it on", async () => {
    const complains = "console.error('Error: SENTRY_TOKEN is required. Set it.'); process.exit(1)";
    const sentry = { command: process.execPath, args: ["-e", complains] };
    const place = prepareWorkbench(
      cleanup,
      { toolboxes: { dev: toolbox({ sentry }) } },
      { env: { SENTRY_TOKEN: "violet-harbour" } },
    );
    const { client } = await startIn(cleanup, place);
    const failure = failureOf(await useTool(client, "dev/sentry/x"));
    expect(failure).toContain(
      "SENTRY_TOKEN is set in the environment of the workbench but not passed on",
    );
    expect(failure).toContain('"inheritEnv": ["SENTRY_TOKEN"]');
    expect(failure).not.toContain("violet-harbour");
  });

  it("gets a secret from the keychain", async () => {
    const folder = temporaryFolder(cleanup);
    const fake = fakeKeychain(folder);
    fake.store({ A_TOKEN: "zebra-lantern-hill" });
    const tools = withOptions(fixture("--dump-env"), { env: { MY_TOKEN: "${keychain:A_TOKEN}" } });
    const none = withOptions(fixture(), { env: { MY_TOKEN: "${keychain:MISSING_TOKEN}" } });
    const place = prepareWorkbench(
      cleanup,
      { toolboxes: { dev: toolbox({ tools, none }) } },
      { env: fake.env },
    );
    const { client } = await startIn(cleanup, place);
    const { env } = await fixtureStatus(client, "dev/tools");
    expect(env).toMatchObject({ MY_TOKEN: "zebra-lantern-hill" });
    expect(failureOf(await useTool(client, "dev/none/status"))).toContain(
      "MISSING_TOKEN is not in the keychain",
    );
  });
});
