/**
 * Servers on the network, tried from the command line without any configuration. In the full suite
 * because it runs the program several times for each case; test/remote uses such servers in `npm
 * test`.
 */
import { writeFileSync } from "node:fs";
import { beforeAll, beforeEach, describe, expect, it } from "vitest";

import { type ChaosHttp, startChaosHttp } from "../support/chaos-http.ts";
import { type CliPlace, cliPlace, ownConfig, runCli, runJson } from "../support/cli.ts";
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

describe("a server that is given by its URL on the command line", () => {
  it("can be listed and called", async () => {
    const url = `${chaos.origin}/mcp`;
    const listed = await runCli(place, ["list", url]);
    expect(listed.code).toBe(0);
    expect(listed.stdout).toContain("  echo(");
    const tool = await runCli(place, ["list", url, "echo"]);
    expect(tool.stdout).toContain(`mcp-workbench call ${url} echo`);
    const called = await runCli(place, ["call", url, "echo", "text=hello"]);
    expect(called).toMatchObject({ code: 0, stdout: "hello\n" });
  });

  it("receives the headers that are given", async () => {
    await runCli(place, ["list", `${chaos.origin}/mcp`, "-H", "X-Own: yes"]);
    const { requests } = await chaos.seen();
    expect(requests.every(({ headers }) => headers["x-own"] === "yes")).toBe(true);
  });

  it.each([
    ["403", "forbidden", 5],
    // In a session it means that the session has ended: a new one is tried before the failure is reported.
    ["404", "notFound", 4, "lostSession"],
    ["429", "rateLimited", 4],
    ["500", "serverError", 4],
    ["503", "unavailable", 4],
    ["html", "wrongContent", 4],
    ["drop", "reset", 4],
    ["not-http", "notHttp", 4],
  ])(
    "and fails with %s is reported with the cause %s and exit code %i",
    async (mode, cause, exit, later = cause) => {
      const call = ["call", `${chaos.origin}/mcp`, "echo"];
      await chaos.set({ mode, on: "*" });
      const early = await runJson(place, call);
      expect(early).toMatchObject({ exit, error: { code: "CONNECTION_FAILED", cause } });
      await chaos.set({ mode, on: "tools/call" });
      expect(await runJson(place, call)).toMatchObject({ exit, error: { cause: later } });
    },
  );

  it("and asks for a login is reported with how to get one, and exit code 5", async () => {
    for (const on of ["*", "tools/call"]) {
      await chaos.set({ mode: "401", on });
      const { exit, error } = await runJson(place, ["call", `${chaos.origin}/mcp`, "echo"]);
      expect({ exit, error }).toMatchObject({
        exit: 5,
        error: {
          code: "SIGN_IN_REQUIRED",
          cause: "signInRequired",
          hint: expect.stringContaining("mcp-workbench add NAME URL") as string,
        },
      });
    }
  });

  it.each(["half-open", "headers-then-silence"])(
    "and never answers (%s) is reported by name after the connect time-out",
    async (mode) => {
      // Part of the time is for the connection, which a busy machine is slow to notice.
      const config = ownConfig(place);
      const mcpServers = { api: { url: `${chaos.origin}/mcp` } };
      const toolboxes = { dev: { description: "For tests", mcpServers } };
      writeFileSync(config, JSON.stringify({ timeouts: { connectMs: 3000 }, toolboxes }));
      await chaos.set({ mode, on: "*" });
      const { exit, error } = await runJson(place, ["call", "dev/api/echo"]);
      expect({ exit, error }).toMatchObject({ exit: 4, error: { cause: "answerTimeout" } });
      const { host } = new URL(chaos.origin);
      expect(JSON.stringify(error)).toContain(`${host} did not answer within 3000 ms`);
    },
  );

  it("and cannot be reached is reported with exit code 4", async () => {
    const error = await runJson(place, ["list", "http://127.0.0.1:9/mcp"]);
    expect(error).toMatchObject({
      exit: 4,
      error: { code: "CONNECTION_FAILED", cause: "refused" },
    });
    // The server is in no toolbox and no configuration, so the error mentions neither.
    expect(JSON.stringify(error)).not.toMatch(/toolbox|configuration/);
  });
});
