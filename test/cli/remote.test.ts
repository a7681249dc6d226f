/** Servers on the network, tried from the command line without any configuration. */
import { beforeAll, beforeEach, describe, expect, it } from "vitest";

import { type ChaosHttp, startChaosHttp } from "../support/chaos-http.ts";
import { type CliPlace, cliPlace, runCli, runJson } from "../support/cli.ts";
import { perBlock, perTest } from "../support/disposables.ts";

const block = perBlock();
const disposables = perTest();
let chaos: ChaosHttp;
let place: CliPlace;

beforeAll(async () => {
  chaos = await startChaosHttp(block);
});
beforeEach(async () => {
  await chaos.set({ reset: true, forgetSessions: true });
  place = cliPlace(disposables);
});

describe("a server given by its URL", () => {
  it("is listed and called", async () => {
    const url = `${chaos.origin}/mcp`;
    const listed = await runCli(place, ["list", url]);
    expect(listed.code).toBe(0);
    expect(listed.stdout).toContain("  echo(");
    const tool = await runCli(place, ["list", url, "echo"]);
    expect(tool.stdout).toContain(`mcp-workbench call ${url} echo`);
    const called = await runCli(place, ["call", url, "echo", "text=hello"]);
    expect(called).toMatchObject({ code: 0, stdout: "hello\n" });
  });

  it("gets the headers that are given", async () => {
    await runCli(place, ["list", `${chaos.origin}/mcp`, "-H", "X-Own: yes"]);
    const { requests } = await chaos.seen();
    expect(requests.every(({ headers }) => headers["x-own"] === "yes")).toBe(true);
  });

  it("that is not there ends with 4", async () => {
    const error = await runJson(place, ["list", "http://127.0.0.1:9/mcp"]);
    expect(error).toMatchObject({ exit: 4, error: { code: "CONNECTION_FAILED" } });
    // It is in no toolbox and in no configuration, and nothing is said of them.
    expect(JSON.stringify(error)).not.toMatch(/toolbox|configuration/);
  });
});
