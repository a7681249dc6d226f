/**
 * The examples of docs/sandbox.md start servers that are limited as the page says. In the full suite because the
 * first one needs bubblewrap, which most machines do not have; `docs.test.ts` checks that all of them are valid.
 */
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { delimiter, join } from "node:path";
import { describe, expect, it } from "vitest";

import { bwrapProblem } from "../../src/servers/transport/stdio/sandbox/availability.ts";
import { textOf, toolErrorOf, useTool } from "../support/calls.ts";
import { perTest } from "../support/disposables.ts";
import type { RawClient } from "../support/raw-client.ts";
import { type Place, prepareWorkbench, startIn } from "../support/workbench.ts";
import { blocksOf } from "./blocks.ts";

const cleanup = perTest();
const PAGE = readFileSync(new URL("../../docs/sandbox.md", import.meta.url), "utf8");
const EXAMPLES = blocksOf(PAGE)
  .filter(({ language }) => language === "jsonc")
  .map(({ lines }) => lines.join("\n"));
const SERVER = new URL("../fixtures/escaping-server.mjs", import.meta.url);

interface Scene {
  readonly place: Place;
  readonly project: string;
  /** A program on the search path, and what it was called with, one line for each call. */
  addProgram(name: string, script: string): () => string[];
  start(): Promise<RawClient>;
}

/** The only example of this kind of sandbox, with folders of the test instead of the reader's. */
function exampleOf(kind: string, change = (text: string) => text): Scene {
  const [example = "", ...others] = EXAMPLES.filter((one) => one.includes(`"kind": "${kind}"`));
  expect(others).toEqual([]);
  const place = prepareWorkbench(cleanup, { toolboxes: {} });
  const folder = (name: string): string => {
    const path = join(place.dir, name);
    mkdirSync(path);
    return path;
  };
  const [project, code, bin] = [folder("project"), folder("code"), folder("bin")];
  // With this name, it needs no package.json that says what kind of module it is.
  const program = join(code, "index.mjs");
  copyFileSync(SERVER, program);
  const text = example
    .replaceAll("/home/me/project", project)
    .replaceAll(/\/(?:opt\/files-server|app)\/index\.js/g, program)
    .replaceAll("/opt/files-server", code);
  place.writeConfig(change(text));
  const addProgram = (name: string, script: string): (() => string[]) => {
    const log = join(place.dir, `${name}.log`);
    writeFileSync(log, "");
    const recording = `#!/bin/sh\necho "$*" >> '${log}'\n${script}\n`;
    writeFileSync(join(bin, name), recording, { mode: 0o755 });
    return () => readFileSync(log, "utf8").split("\n").filter(Boolean);
  };
  addProgram("files-server", `exec "${process.execPath}" "${program}"`);
  const PATH = `${bin}${delimiter}${place.env["PATH"]}`;
  const start = async (): Promise<RawClient> =>
    (await startIn(cleanup, { ...place, env: { ...place.env, PATH } })).client;
  return { place, project, addProgram, start };
}

const call = (client: RawClient, ...attempts: unknown[][]) =>
  useTool(client, "dev/files/attempt", { attempts });

async function attempt(client: RawClient, ...attempts: unknown[][]): Promise<unknown[]> {
  return JSON.parse(textOf(await call(client, ...attempts))) as unknown[];
}

/** The programs are shell scripts. */
describe.skipIf(process.platform === "win32")("docs/sandbox.md", () => {
  it("limits a server with bubblewrap to what the example names", async (context) => {
    const problem = await bwrapProblem();
    if (problem !== undefined) return context.skip(problem.reason);
    const { place, project, start } = exampleOf("bwrap");
    writeFileSync(join(place.home, "private.txt"), "private");
    const listener = createServer((socket) => socket.end());
    await new Promise<void>((resolve) => listener.listen(0, "127.0.0.1", resolve));
    cleanup.defer(() => void listener.close());
    const { port } = listener.address() as { port: number };
    const client = await start();
    const found = await attempt(
      client,
      ["write", join(project, "result.txt")],
      ["write", join(place.dir, "code/index.mjs")],
      ["read", join(place.home, "private.txt")],
      ["list", place.home],
      ["read", place.configFile],
      ["folder"],
      ["kill", process.pid],
      ["connect", port],
    );
    expect(found).toEqual([
      "done",
      "failed: EROFS",
      "failed: ENOENT",
      [],
      "failed: ENOENT",
      "/tmp",
      "failed: ESRCH",
      expect.stringMatching(/^failed: (ECONNREFUSED|ENETUNREACH)$/) as string,
    ]);
    expect(readFileSync(join(project, "result.txt"), "utf8")).toBe("written by the server");
  });

  it("runs the documented container", async () => {
    const { project, addProgram, start } = exampleOf("docker");
    const lines = addProgram(
      "docker",
      '[ "$1" = run ] || exit 0\nwhile [ "$1" != example/files-server:1.2.0 ]; do shift; done\nshift\nexec "$@"',
    );
    expect(await attempt(await start(), ["write", join(project, "result.txt")])).toEqual(["done"]);
    const [run = "", ...others] = lines().filter((line) => line.startsWith("run "));
    expect(others).toEqual([]);
    const user = `--user ${process.getuid?.()}:${process.getgid?.()}`;
    const mount = `--mount type=bind,source=${project},target=${project}`;
    const limits = ["--read-only", "--cap-drop ALL", "--memory 2g", "--cpus 1", "--pids-limit 256"];
    for (const option of [...limits, user, mount, "--network none", "--name mcp-workbench-"])
      expect(run).toContain(option);
    expect(run).toMatch(/ example\/files-server:1\.2\.0 \S*node \S+index\.mjs \S+project$/);
  });

  it("puts the command line of the server behind that of another program", async () => {
    const { addProgram, start } = exampleOf("command");
    const lines = addProgram("firejail", 'shift 2\nexec "$@"');
    expect(await attempt(await start(), ["folder"])).toHaveLength(1);
    expect(lines()).toEqual([expect.stringMatching(/^--quiet -- \S*files-server$/)]);
  });

  it("fails closed, unless the sandbox is not required", async () => {
    const broken = "echo 'no daemon' >&2\nexit 1";
    const strict = exampleOf("docker");
    strict.addProgram("docker", broken);
    expect(toolErrorOf(await call(await strict.start(), ["folder"]))).toContain(
      "its sandbox cannot be used: docker does not work: no daemon",
    );
    const lax = exampleOf("docker", (text) =>
      text.replace('"kind": "docker"', '"kind": "docker", "required": false'),
    );
    lax.addProgram("docker", broken);
    expect(await attempt(await lax.start(), ["folder"])).toHaveLength(1);
  });

  it("has no further examples", () => {
    expect(EXAMPLES).toHaveLength(3);
  });
});
