/**
 * What sharing saves: the memory of 1, 10 and 30 clients. In the full suite because of their processes. Memory that the
 * processes share with other programs is divided among more of them when other tests run, with and without sharing.
 */
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { useTool } from "../support/calls.ts";
import { perTest } from "../support/disposables.ts";
import { processesWith } from "../support/proc.ts";
import { dev, fixture } from "../support/servers.ts";
import { SharedPlace } from "../support/shared.ts";

const cleanup = perTest();
const config = dev({ fx: fixture() }, { shared: { idleMs: 600_000 } });
const places = (): readonly SharedPlace[] => [
  new SharedPlace(cleanup, config),
  new SharedPlace(cleanup, config, { env: { MCP_WORKBENCH_SHARED: "0" } }),
];

/** Empty if the process has ended since it was found. */
function rollupOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/smaps_rollup`, "utf8");
  } catch {
    return "";
  }
}

/** The memory of all processes of a place, in MB; what processes share is divided among them. */
function memoryOf({ place }: SharedPlace): number {
  const pids = processesWith("XDG_STATE_HOME", place.env["XDG_STATE_HOME"] ?? "")
    .concat(place.servers())
    .map(({ pid }) => pid);
  const kilobytes = [...new Set(pids)].map((pid) => {
    return Number(/^Pss:\s+(\d+)/m.exec(rollupOf(pid))?.[1] ?? 0);
  });
  return Math.round(kilobytes.reduce((sum, size) => sum + size, 0) / 1024);
}

describe("sharing a workbench", () => {
  it.each([1, 10, 30])("needs less memory with several clients: %i", async (count) => {
    const used: number[] = [];
    for (const place of places()) {
      const clients = await Promise.all(Array.from({ length: count }, () => place.client(cleanup)));
      for (const client of clients) await useTool(client, "dev/fx/echo", { text: "x" });
      used.push(memoryOf(place));
      await Promise.all(clients.map((client) => place.leave(client)));
    }
    const [shared = 0, separate = 0] = used;
    console.info(`memory of ${count} clients: shared ${shared} MB, separate ${separate} MB`);
    // One client pays for one process more; with ten, one server instead of ten makes up for it. Measured: 1.5 times
    // the memory with one client, 0.60 with ten, 0.51 with thirty.
    expect(shared).toBeLessThan(count === 1 ? separate * 2 : separate * 0.75);
  });
});
