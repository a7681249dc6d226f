/** What an agent learns about the results of tools, so that its scripts work on the first try. In the full suite because most tests start a program. */
import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { callTool, searchTools, textOf, useTool } from "../support/calls.ts";
import { perBlock, perTest } from "../support/disposables.ts";
import { waitFor } from "../support/proc.ts";
import { GENEROUS_MS, type RawClient } from "../support/raw-client.ts";
import { searchAllServers } from "../support/search.ts";
import { type Config, dev, fixture, publicServer } from "../support/servers.ts";
import {
  prepareWorkbench,
  startIn,
  startWorkbench,
  temporaryFolder,
} from "../support/workbench.ts";

const cleanup = perTest();

/** A tool as an answer prints it: `toolbox/server/name(parameters) -> type — purpose`. */
const PRINTED = /^(?<path>[^(]+)\((?<parameters>.*?)\)(?: -> (?<type>.*?))?(?: — .*)?$/;

interface Printed {
  readonly path: string;
  readonly parameters: string;
  readonly type: string | undefined;
}

function printed(line: string): Printed {
  const { path = "", parameters = "", type } = PRINTED.exec(line)?.groups ?? {};
  return { path, parameters, type };
}

/** An argument of a printed type. */
function sample(name: string, type: string): string {
  if (type.startsWith('"')) return type.split("|")[0] ?? type;
  if (type.endsWith("[]")) return type === "string[]" && name === "paths" ? '["a.txt"]' : "[]";
  if (type === "number" || type === "integer") return "1";
  if (type === "boolean") return "false";
  return type === "object" ? "{}" : '"a.txt"';
}

/** Arguments for a printed signature, in its own notation. */
function argumentsFor(parameters: string): string {
  const given = parameters.split(/, (?=["\w$]+\??: )/).flatMap((parameter) => {
    const [, key = "", type = ""] = /^("[^"]+"|[\w$]+)\??: (.*)$/.exec(parameter) ?? [];
    return key === "" ? [] : [`${key}: ${sample(key, type)}`];
  });
  return `{ ${given.join(", ")} }`;
}

async function runScript(client: RawClient, script: string): Promise<unknown> {
  return JSON.parse(textOf(await callTool(client, "run_script", { script })));
}

describe("signatures of published servers", () => {
  const shared = perBlock();
  let client: RawClient;
  beforeAll(async () => {
    const folder = temporaryFolder(shared);
    writeFileSync(join(folder, "a.txt"), "one\n");
    const memory = publicServer("memory");
    const config = dev({
      files: { ...publicServer("filesystem", folder), cwd: folder },
      memory: { ...memory, env: { MEMORY_FILE_PATH: join(folder, "memory.jsonl") } },
      everything: publicServer("everything"),
    });
    ({ client } = await startWorkbench(shared, config));
    await searchAllServers(client, "read a file");
  });

  it("work in a script as they are printed, and return what they say", async () => {
    const { tools } = JSON.parse(
      textOf(await callTool(client, "open_toolbox", { toolbox: "dev", detail: "signatures" })),
    ) as { tools: Record<string, string[]> };
    const lines = Object.entries(tools).flatMap(([server, signatures]) =>
      signatures.map((line) => printed(`dev/${server}/${line}`)),
    );
    expect(lines.length).toBeGreaterThan(30);
    // These wait for the user, or take long on purpose.
    const slow = /trigger|simulate|toggle|gzip/;
    const called = lines.filter(({ path }) => !slow.test(path));
    const calls = called.map(
      ({ path, parameters }) => `["${path}", () => call("${path}", ${argumentsFor(parameters)})]`,
    );
    const outcomes = (await runScript(
      client,
      `const outcomes = {};
      for (const [path, make] of [${calls.join(",\n")}])
        outcomes[path] = await make().then(
          (value) => ({ keys: typeof value === "object" ? Object.keys(value ?? {}) : typeof value }),
          (error) => ({ error: error.message.slice(0, 200) }),
        );
      return outcomes;`,
    )) as Record<string, { keys?: string[] | string; error?: string }>;
    for (const { path, type } of called) {
      const outcome = outcomes[path];
      // A tool may fail, but not because of how it was called.
      expect(outcome?.error ?? "", path).not.toMatch(
        /do not match|invalid arg|not found in|unknown/i,
      );
      if (type === undefined || outcome?.keys === undefined) continue;
      const fields = Array.from(type.matchAll(/^\{(\w+):|, (\w+):/g), ([, a, b]) => a ?? b);
      for (const field of fields.slice(0, 1)) expect(outcome.keys, path).toContain(field);
    }
    const succeeded = Object.values(outcomes).filter(({ error }) => error === undefined);
    expect(succeeded.length).toBeGreaterThan(20);
  });

  it("show what a tool returns, from its output schema", async () => {
    expect(await searchTools(client, "read_text_file", { limit: 1 })).toMatch(
      /^dev\/files\/read_text_file\(path: string, .*\) -> \{content:string\} — Read/,
    );
    expect(await searchTools(client, "read_graph", { limit: 1 })).toMatch(
      /^dev\/memory\/read_graph\(\) -> \{entities:\{.*\}\[\], relations:\{.*\}\[\]\} — Read/,
    );
  });
});

describe("a tool without an output schema", () => {
  const config = (...options: string[]): Config => dev({ fx: fixture(...options) });
  const secret = "value-that-must-not-be-stored";

  it("shows what it returned earlier, in later runs too, until its definition changes", async () => {
    const place = prepareWorkbench(cleanup, config());
    const first = await startIn(cleanup, place);
    const line = async (client: RawClient): Promise<string> =>
      searchAllServers(client, "returns the given text", { limit: 1 });
    expect(await line(first.client)).toBe("dev/fx/echo(text: string) — Returns the given text");
    for (const id of [1, 2]) {
      const text = JSON.stringify({ rows: [{ id, name: secret }], next: id === 1 ? null : "a" });
      await useTool(first.client, "dev/fx/echo", { text });
    }
    const expected =
      "dev/fx/echo(text: string) -> ~{rows:{id:number, name:string}[], next:string|null} — Returns the given text";
    // It is learned after the client has its answer.
    const isLearned = async (): Promise<boolean> => (await line(first.client)) === expected;
    await waitFor(isLearned, GENEROUS_MS, "what was returned to be learned");
    await first.stop();

    const folder = join(place.env["XDG_CACHE_HOME"] ?? "", "mcp-workbench", "catalogue");
    const files = readdirSync(folder).filter((name) => name.endsWith(".types.json"));
    expect(files).toHaveLength(1);
    const [file = ""] = files.map((name) => join(folder, name));
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readFileSync(file, "utf8")).not.toContain(secret);

    const second = await startIn(cleanup, place);
    expect(await line(second.client)).toBe(expected);
    await second.stop();

    place.writeConfig(
      dev({
        fx: { ...fixture(), overrides: { echo: { description: "Returns the given text again" } } },
      }),
    );
    const third = await startIn(cleanup, place);
    expect(await line(third.client)).not.toContain("->");
    await third.stop();
  });

  it("shows nothing to clients without scripts", async () => {
    const { client } = await startWorkbench(cleanup, { ...config(), scripts: { enabled: false } });
    await useTool(client, "dev/fx/echo", { text: '{"a":1}' });
    expect(await searchAllServers(client, "returns the given text", { limit: 1 })).not.toContain(
      "->",
    );
  });
});
