/**
 * Servers in a sandbox of bubblewrap. In the full suite because it needs that program, which is
 * installed if it is missing and that is possible; where it cannot be used, servers are refused.
 */
import { spawnSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { beforeAll, describe, expect, it } from "vitest";
import { bwrapProblem } from "../../src/servers/transport/stdio/sandbox/availability.ts";
import { textOf, toolErrorOf, useTool } from "../support/calls.ts";
import { runCli } from "../support/cli.ts";
import { perTest } from "../support/disposables.ts";
import { processesOf, waitFor } from "../support/proc.ts";
import { GENEROUS_MS, type RawClient } from "../support/raw-client.ts";
import { toolbox } from "../support/servers.ts";
import { type Place, prepareWorkbench, startIn } from "../support/workbench.ts";

const SERVER = fileURLToPath(new URL("../fixtures/escaping-server.mjs", import.meta.url));
const cleanup = perTest();
const SECRET = "s3cr3t-0123456789";

let problem: Awaited<ReturnType<typeof bwrapProblem>>;
beforeAll(async () => {
  problem = await bwrapProblem();
  if (problem?.reason.includes("not installed"))
    spawnSync("apt-get", ["install", "-y", "bubblewrap"], { stdio: "ignore" });
  problem = await bwrapProblem();
}, 120_000);

/** Folders as a user has them, and a configuration that needs them. */
function prepared(sandboxes: Record<string, object>, env: Record<string, string> = {}): Place {
  const place = prepareWorkbench(cleanup, { toolboxes: {} }, { env });
  mkdirSync(join(place.home, ".ssh"));
  writeFileSync(join(place.home, ".ssh/id"), "private key");
  mkdirSync(join(place.dir, "data"));
  mkdirSync(join(place.dir, "state/mcp-workbench"), { recursive: true });
  writeFileSync(join(place.dir, "state/mcp-workbench/token"), "the token");
  symlinkSync(place.dir, join(place.dir, "data/back"));
  const server = (sandbox: object) => ({
    command: process.execPath,
    args: [SERVER],
    env: { API_KEY: SECRET },
    sandbox: { kind: "bwrap", ...sandbox },
  });
  const entries = Object.entries(sandboxes).map(([name, sandbox]) => [name, server(sandbox)]);
  place.writeConfig({ toolboxes: { dev: toolbox(Object.fromEntries(entries) as never) } });
  return place;
}

async function attempt(
  client: RawClient,
  server: string,
  attempts: unknown[][],
): Promise<unknown[]> {
  const answer = await useTool(client, `dev/${server}/attempt`, { attempts });
  return JSON.parse(textOf(answer)) as unknown[];
}

describe("a server in a sandbox of bubblewrap", () => {
  it("reaches what its settings name, and nothing else", async (context) => {
    // Where it cannot be used, the other test shows that servers are refused.
    if (problem !== undefined) return context.skip(problem.reason);
    const listener = createServer((socket) => socket.end());
    await new Promise<void>((resolve) => listener.listen(0, "127.0.0.1", resolve));
    cleanup.defer(() => void listener.close());
    const { port } = listener.address() as { port: number };
    const code = dirname(SERVER);
    const place = prepared({
      narrow: { read: [code], write: ["data"] },
      wide: { read: [code, "."], write: ["data"] },
      online: { read: [code], network: true },
      everywhere: { read: ["/"], write: ["."] },
    });
    const lockFile = join(place.dir, "workbench-lock.json");
    writeFileSync(lockFile, '{"lockfileVersion":1,"servers":{}}');
    const { client, pid, stop } = await startIn(cleanup, place);

    const { dir, home } = place;
    const narrow = await attempt(client, "narrow", [
      ["write", join(dir, "data/result.txt")],
      ["write", join(dir, "outside.txt")],
      ["write", "/usr/outside.txt"],
      ["write", join(code, "outside.txt")],
      ["write", join(home, "own.txt")],
      ["read", join(home, ".ssh/id")],
      ["list", join(dir, "state/mcp-workbench")],
      ["list", join(dir, "data/back/state")],
      ["read", place.configFile],
      ["read", "/etc/shadow"],
      ["connect", port],
      ["kill", pid],
      ["folder"],
    ]);
    expect(narrow).toEqual([
      "done",
      // The folder is in /tmp, and the server has one of its own.
      "done",
      "failed: EROFS",
      "failed: EROFS",
      "done",
      "failed: ENOENT",
      "failed: ENOENT",
      "failed: ENOENT",
      "failed: ENOENT",
      "failed: ENOENT",
      expect.stringMatching(/^failed: (ECONNREFUSED|ENETUNREACH)$/) as string,
      "failed: ESRCH",
      "/tmp",
    ]);
    expect(readFileSync(join(dir, "data/result.txt"), "utf8")).toBe("written by the server");
    for (const path of [join(home, "own.txt"), join(dir, "outside.txt")])
      expect(existsSync(path)).toBe(false);

    // What belongs to the workbench is covered, also in a folder that the server may read.
    const wide = await attempt(client, "wide", [
      ["read", join(home, ".ssh/id")],
      ["list", join(dir, "state/mcp-workbench")],
      ["list", join(dir, "data/back/state/mcp-workbench")],
      ["read", place.configFile],
      ["write", join(dir, "outside.txt")],
    ]);
    expect(wide).toEqual(["private key", [], [], "failed: ENOENT", "failed: EROFS"]);

    // It cannot approve itself, and sees no processes, through whose folders it would reach everything.
    const [approval, others] = await attempt(client, "everywhere", [
      ["write", lockFile],
      ["processes"],
    ]);
    expect(approval).toBe("failed: EROFS");
    expect((others as string[]).every((line) => /escaping-server|^bwrap/.test(line))).toBe(true);

    const [processes, environment] = await attempt(client, "narrow", [
      ["processes"],
      ["environment"],
    ]);
    const seen = processes as string[];
    expect(seen.filter((line) => line.includes(SERVER))).not.toEqual([]);
    expect(seen.every((line) => line.includes(SERVER) || line.startsWith("bwrap"))).toBe(true);
    expect(environment).toContain("API_KEY");
    expect(environment).not.toContain("XDG_STATE_HOME");
    expect(await attempt(client, "online", [["connect", port]])).toEqual(["connected"]);

    // The variables of a server are on no command line.
    const running = processesOf(place.marker);
    expect(running.filter(({ command }) => command.includes("bwrap"))).not.toEqual([]);
    expect(running.filter(({ command }) => command.includes(SECRET))).toEqual([]);

    // A child that left its group ends with the server.
    await attempt(client, "narrow", [["child"]]);
    await stop();
  });

  it("does not see files of the workbench that are replaced or created while it runs", async (context) => {
    if (problem !== undefined) return context.skip(problem.reason);
    const code = dirname(SERVER);
    const place = prepared({
      reader: { read: [code, "."], write: ["data"] },
      writer: { read: [code], write: ["."] },
      everywhere: { read: ["/"], write: ["data"] },
    });
    const { dir } = place;
    const lockFile = join(dir, "workbench-lock.json");
    writeFileSync(join(dir, "data/note"), "a note");
    const { client } = await startIn(cleanup, place);
    const attempts = [
      ["read", place.configFile],
      ["read", lockFile],
      ["read", join(dir, "secrets.env")],
      ["list", join(dir, "state/mcp-workbench")],
      ["write", lockFile],
      ["read", join(dir, "data/note")],
      ["write", join(dir, "data/other")],
    ];
    const none = "failed: ENOENT";
    const expected = [none, none, none, [], "failed: EROFS", "a note", "done"];
    const servers = ["reader", "writer", "everywhere"];
    for (const server of servers) expect(await attempt(client, server, attempts)).toEqual(expected);
    // As programs save files: a mount on a single file would end here.
    const replacement = join(dir, "new.json");
    writeFileSync(replacement, readFileSync(place.configFile, "utf8"));
    renameSync(replacement, place.configFile);
    writeFileSync(join(dir, "secrets.env"), `KEY=${SECRET}`, { mode: 0o600 });
    writeFileSync(join(dir, "state/mcp-workbench/new"), SECRET);
    writeFileSync(replacement, '{"lockfileVersion":1,"servers":{}}');
    renameSync(replacement, lockFile);
    const running = place.servers().map(({ pid }) => pid);
    for (const server of servers) expect(await attempt(client, server, attempts)).toEqual(expected);
    // They were not started again in the meantime.
    expect(place.servers().map(({ pid }) => pid)).toEqual(running);
  });

  it("ends with the workbench, also if that is killed", async (context) => {
    if (problem !== undefined) return context.skip(problem.reason);
    const place = prepared({ fx: { read: [dirname(SERVER)] } });
    const { client } = await startIn(cleanup, place);
    await attempt(client, "fx", [["child"]]);
    expect(place.servers()).not.toEqual([]);
    client.kill("SIGKILL");
    await client.exited;
    await waitFor(() => place.servers().length === 0, GENEROUS_MS, "the servers to end");
    expect(place.servers()).toEqual([]);
  });

  it("is not started if the sandbox cannot be used, unless it is not required", async () => {
    const place = prepared({
      strict: { read: [dirname(SERVER)] },
      lax: { read: [dirname(SERVER)], required: false },
      wrong: { read: ["state/mcp-workbench"] },
      missing: { read: ["nowhere"] },
    });
    // A search path without bwrap.
    const bin = join(place.dir, "bin");
    mkdirSync(bin);
    symlinkSync(process.execPath, join(bin, "node"));
    const { client } = await startIn(cleanup, { ...place, env: { ...place.env, PATH: bin } });
    const call = (server: string) =>
      useTool(client, `dev/${server}/attempt`, { attempts: [["folder"]] });
    expect(toolErrorOf(await call("strict"))).toMatch(
      /its sandbox cannot be used: bwrap is not installed\. Install bubblewrap, for example with: sudo apt-get install bubblewrap/,
    );
    expect(toolErrorOf(await call("wrong"))).toMatch(
      /belongs to the workbench .*no server may reach it/,
    );
    expect(toolErrorOf(await call("missing"))).toMatch(/nowhere does not exist/);
    expect(place.servers()).toEqual([]);
    expect(textOf(await call("lax"))).toBe(JSON.stringify([place.dir]));
    const status = await runCli({ ...place, cwd: place.dir }, ["status", "--json"]);
    expect(status.stdout).toContain(
      "its sandbox cannot be used: bwrap is not installed. It runs without one",
    );
  });
});
