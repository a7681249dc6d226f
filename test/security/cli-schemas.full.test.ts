/**
 * Whatever a schema contains, commands finish, on their own and when interrupted. Many commands are started,
 * which takes too long for `npm test`.
 */
import type { ChildProcess } from "node:child_process";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { type CliPlace, cliPlace, runCli } from "../support/cli.ts";
import { perTest } from "../support/disposables.ts";
import { waitFor } from "../support/proc.ts";
import { scriptServer } from "../support/script-server.ts";
import { toolbox } from "../support/servers.ts";

const self = { $ref: "#/properties/x" };
const many = <T>(count: number, one: T): T[] => Array.from({ length: count }, () => one);

/** Schemas of the argument `x`, each of which refers to itself or expands to millions of others. */
const BOMBS: Record<string, unknown> = {
  loop: { type: "array", items: self },
  anyOf: { anyOf: many(12, self) },
  oneOf: { oneOf: many(100, { anyOf: many(100, self) }) },
  lists: { anyOf: many(12, { type: "array", items: self }) },
  reference: { $ref: `#/${"/".repeat(500_000)}` },
  types: { type: many(50_000, "integer") },
  choices: { enum: Array.from({ length: 50_000 }, (_, i) => `choice-${i}`) },
  odd: { enum: [{ toString: 1 }, { valueOf: null }] },
};

/** A server with such a large tool is not kept for completion, so it is apart from the others. */
const isLarge = (name: string): boolean => JSON.stringify(BOMBS[name]).length > 100_000;
const serverOf = (name: string): string => (isLarge(name) ? "large" : "bombs");

const disposables = perTest();
let place: CliPlace;
let config: string;
/** Exists once a call has arrived that is never answered. */
let called: string;

beforeEach(() => {
  place = cliPlace(disposables);
  config = join(place.home, "bombs.json");
  called = join(place.home, "called");
  const server = (which: string) =>
    scriptServer(
      disposables,
      `import { writeFileSync } from "node:fs";
     const tools = ${JSON.stringify(toolsOf(which))};
     const { "tools/call": hello, ...answers } = legacy({ tools: {} });
     const call = ({ arguments: { x } }) => {
       if (x !== "wait") return hello();
       writeFileSync(${JSON.stringify(called)}, "");
     };
     serve({ ...answers, "tools/list": () => ({ tools }), "tools/call": call });`,
    );
  const servers = { bombs: server("bombs"), large: server("large") };
  writeFileSync(config, JSON.stringify({ toolboxes: { x: toolbox(servers) } }));
});

function toolsOf(server: string): object[] {
  return Object.entries(BOMBS)
    .filter(([name]) => serverOf(name) === server)
    .map(([name, x]) => ({
      name,
      inputSchema: { type: "object", properties: { x }, required: ["x"] },
    }));
}

async function run(...words: string[]): Promise<string> {
  const { code, stdout, stderr } = await runCli(place, [...words, "--config", config]);
  expect(code, stderr).toBeOneOf([0, 2]);
  expect(stderr).not.toContain("Internal error");
  return stdout;
}

describe("a schema bomb", () => {
  it.each(Object.keys(BOMBS))("%s does not stop any command from finishing", async (name) => {
    const tool = `x/${serverOf(name)}/${name}`;
    await run("call", tool, "x=1");
    await run("call", tool);
    const words = ["__complete", "call", "--config", config, tool, ""];
    const { code, stdout } = await runCli(place, words);
    expect(code).toBe(0);
    expect(stdout.slice(0, 3)).toBe(isLarge(name) ? "" : "x=\t");
    expect(stdout.length).toBeLessThan(10_000);
  });

  it("does not stop other commands from finishing", async () => {
    for (const words of [
      ["list", "x/large/oneOf"],
      ["search", "choices"],
      ["open", "x"],
      ["tokens"],
    ])
      expect(await run(...words)).not.toBe("");
  });

  it.each(["SIGINT", "SIGTERM"] as const)("stops on %s", async (signal) => {
    let child: ChildProcess | undefined;
    const stopped = runCli(place, ["call", "x/large/oneOf", "x=wait", "--config", config], {
      running: (started) => (child = started),
    });
    await waitFor(() => existsSync(called), 60_000, "the call");
    child?.kill(signal);
    expect((await stopped).code).not.toBe(0);
  });
});
