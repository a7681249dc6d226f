import { spawn } from "node:child_process";
import { once } from "node:events";
import { randomUUID } from "node:crypto";
import { expect, it } from "vitest";
import { perTest } from "./disposables.ts";
import {
  alive,
  cpu,
  fds,
  MARKER_VARIABLE,
  processesOf,
  processInfo,
  rss,
  waitFor,
} from "./proc.ts";
import { GENEROUS_MS } from "./raw-client.ts";

const cleanup = perTest();

it("processesOf finds a marked process and its descendants, and stops finding them when they are gone", async () => {
  const marker = randomUUID();
  const sleeper = "setTimeout(()=>{},60000)";
  const child = spawn(
    process.execPath,
    ["-e", `require("child_process").spawn(process.execPath,["-e","${sleeper}"]);${sleeper}`],
    { stdio: "ignore", detached: true, env: { [MARKER_VARIABLE]: marker } },
  );
  const pid = child.pid ?? 0;
  cleanup.defer(() => alive(pid) && process.kill(-pid, "SIGKILL"));

  const found = await waitFor(
    () => {
      const all = processesOf(marker);
      return all.length === 2 && all;
    },
    GENEROUS_MS,
    "both processes",
  );
  expect(found.map((info) => info.pgid)).toEqual([pid, pid]);
  expect(found.map((info) => info.ppid).sort()).toEqual([process.pid, pid].sort());
  expect(processesOf(randomUUID())).toEqual([]);

  process.kill(-pid, "SIGKILL");
  await once(child, "exit");
  await waitFor(() => processesOf(marker).length === 0, GENEROUS_MS, "both to be gone");
  expect(alive(pid)).toBe(false);
});

it("rss, fds and cpu measure this process", () => {
  expect(processInfo(process.pid)?.ppid).toBe(process.ppid);
  expect(rss(process.pid)).toBeGreaterThan(1024 * 1024);
  expect(fds(process.pid).length).toBeGreaterThan(3);
  expect(cpu(process.pid)).toBeGreaterThan(0);
});

it("waitFor says what it waited for", async () => {
  await expect(waitFor(() => false, 30, "a miracle")).rejects.toThrow("in vain for a miracle");
});
