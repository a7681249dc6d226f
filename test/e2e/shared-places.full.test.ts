/** Where clients meet, and how they are watched: odd folders, and `logs -f`. */
import { spawn } from "node:child_process";
import {
  appendFileSync,
  chmodSync,
  chownSync,
  mkdirSync,
  readdirSync,
  rmdirSync,
  statSync,
  symlinkSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { textOf, useTool } from "../support/calls.ts";
import { perTest } from "../support/disposables.ts";
import { waitFor } from "../support/proc.ts";
import { GENEROUS_MS } from "../support/raw-client.ts";
import { dev, fixture } from "../support/servers.ts";
import { SharedPlace, serverPid } from "../support/shared.ts";
import { runCommand } from "../support/workbench.ts";

const cleanup = perTest();
const config = dev({ fx: fixture() }, { shared: { idleMs: 600_000 }, log: { level: "info" } });
const ANOTHER_USER = 54_321;

describe("logs -f", () => {
  it("shows what every process of a server writes, and a workbench that starts later", async () => {
    const shared = new SharedPlace(cleanup, config);
    const { command, args, env, dir, configFile } = shared.place;
    const logs = spawn(command, [args[0] ?? "", "logs", "-f", "--config", configFile], {
      env,
      cwd: dir,
      stdio: ["ignore", "pipe", "pipe"],
    });
    cleanup.defer(() => void logs.kill("SIGKILL"));
    let shown = "";
    for (const stream of [logs.stdout, logs.stderr])
      stream.on("data", (chunk: Buffer) => (shown += String(chunk)));
    const shows = (text: string): Promise<unknown> =>
      waitFor(() => shown.includes(text), GENEROUS_MS, `${text} in: ${shown}`);
    await shows("No workbench is running");
    const elsewhere = join(dir, "elsewhere");
    mkdirSync(elsewhere);
    const clients = [
      await shared.client(cleanup),
      await shared.client(cleanup, { cwd: elsewhere }),
    ];
    const pids = [];
    for (const [index, client] of clients.entries()) {
      await useTool(client, "dev/fx/stderr", { text: `client ${index}` });
      pids.push(await serverPid(client));
      await shows(`dev/fx | client ${index}\n`);
    }
    expect(new Set(pids).size).toBe(2);
    await shows('connected toolbox="dev" server="fx"');
    expect(shown.match(/dev\/fx \| client 0/g)).toHaveLength(1);

    // A log that has become too long begins again while the process runs.
    const [log = ""] = readdirSync(shared.folder).filter((name) => name.endsWith(".log"));
    const file = join(shared.folder, log);
    const { size } = statSync(file);
    appendFileSync(file, `${"x".repeat(99)}\n`.repeat(11_000));
    appendFileSync(file, "before the cut\n");
    await serverPid(await shared.client(cleanup, { cwd: shared.folder }));
    await waitFor(() => statSync(file).size <= size, GENEROUS_MS, "a short log");
    const lines = (): number => shown.match(/connected toolbox="dev" server="fx"/g)?.length ?? 0;
    await shows("before the cut\n");
    await waitFor(() => lines() === 3, GENEROUS_MS, "the third connection");
    expect(shown.match(/before the cut/g)).toHaveLength(1);
  });
});

/** What clients do with a folder that was there before. */
async function sharesIn(prepare: (folder: string, dir: string) => void) {
  const shared = new SharedPlace(cleanup, config);
  mkdirSync(dirname(shared.folder), { recursive: true });
  prepare(shared.folder, shared.place.dir);
  const clients = await Promise.all([shared.client(cleanup), shared.client(cleanup)]);
  const pids = await Promise.all(clients.map((client) => serverPid(client)));
  for (const client of clients)
    expect(textOf(await useTool(client, "dev/fx/echo", { text: "works" }))).toBe("works");
  const stderr = clients.map((client) => client.stderr).join("");
  return { shared, isShared: new Set(pids).size === 1, stderr };
}

describe("a folder for sharing that exists already", () => {
  it("is made private if it was open to others", async () => {
    const { shared, isShared, stderr } = await sharesIn((folder) => {
      mkdirSync(folder);
      chmodSync(folder, 0o777);
    });
    expect({ isShared, stderr }).toEqual({ isShared: true, stderr: "" });
    expect(statSync(shared.folder).mode & 0o777).toBe(0o700);
  });

  it("is not used if it is a symbolic link", async () => {
    let target = "";
    const { isShared, stderr } = await sharesIn((folder, dir) => {
      target = join(dir, "target");
      mkdirSync(target);
      symlinkSync(target, folder);
    });
    expect(isShared).toBe(false);
    expect(stderr).toContain("it is a symbolic link");
    expect(readdirSync(target)).toEqual([]);
  });

  it("leaves no process behind if the record cannot be written", async () => {
    const shared = new SharedPlace(cleanup, config);
    await serverPid(await shared.client(cleanup));
    runCommand(shared.place, "stop");
    const [log = ""] = readdirSync(shared.folder).filter((name) => name.endsWith(".log"));
    const record = join(shared.folder, log.replace(/log$/, "json"));
    mkdirSync(record);
    const client = await shared.client(cleanup);
    expect(textOf(await useTool(client, "dev/fx/echo", { text: "works" }))).toBe("works");
    const reported = "not shared: it ended with code";
    await client.when(() => client.stderr.includes(reported), "the reason");
    await waitFor(() => shared.processes().length === 0, GENEROUS_MS, "the shared process to end");
    rmdirSync(record);
  });

  // Only root can give a folder away.
  it.runIf(process.getuid?.() === 0)("is not used if it belongs to another user", async () => {
    const { shared, isShared, stderr } = await sharesIn((folder) => {
      mkdirSync(folder, { mode: 0o700 });
      chownSync(folder, ANOTHER_USER, ANOTHER_USER);
    });
    expect(isShared).toBe(false);
    expect(stderr).toContain("it belongs to another user");
    expect(readdirSync(shared.folder)).toEqual([]);
  });
});
