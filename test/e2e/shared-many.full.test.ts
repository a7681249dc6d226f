/**
 * Many clients at once, and the end of everything at the same time. Each case starts dozens of
 * processes; `npm test` has a few clients in `shared.test.ts`.
 */
import { readdirSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { failureOf, textOf, useTool } from "../support/calls.ts";
import { perTest } from "../support/disposables.ts";
import { freePort } from "../support/free-port.ts";
import { alive, waitFor } from "../support/proc.ts";
import { GENEROUS_MS, type RawClient } from "../support/raw-client.ts";
import { dev, fixture } from "../support/servers.ts";
import { SharedPlace, serverPid } from "../support/shared.ts";
import { runCommand } from "../support/workbench.ts";

const cleanup = perTest();
const config = dev({ one: fixture(), two: fixture() }, { shared: { idleMs: 600_000 } });
const ONE = "dev/one/status";

const CAPABILITIES = [{}, { elicitation: {} }, { sampling: {} }, { roots: {} }];

async function manyClients(shared: SharedPlace, count: number): Promise<RawClient[]> {
  return Promise.all(
    Array.from({ length: count }, (_, index) =>
      shared.client(cleanup, { capabilities: CAPABILITIES[index % CAPABILITIES.length] ?? {} }),
    ),
  );
}

describe("thirty clients that start at once", () => {
  it("share one process and each server, and get their own answers", async () => {
    const shared = new SharedPlace(cleanup, config);
    const clients = await manyClients(shared, 30);
    const answers = await Promise.all(
      clients.flatMap((client, index) =>
        ["one", "two"].map(async (server) => {
          const text = `${index} ${server}`;
          const answer = textOf(await useTool(client, `dev/${server}/echo`, { text }));
          return answer === text;
        }),
      ),
    );
    expect(answers.every(Boolean)).toBe(true);
    await shared.onlyProcess();
    for (const server of ["one", "two"]) expect(shared.place.witness("dev", server).starts).toBe(1);
  });

  it("continue after the shared process was killed, again with one", async () => {
    const shared = new SharedPlace(cleanup, config);
    const clients = await manyClients(shared, 20);
    const waiting = clients.map((client) => useTool(client, "dev/one/sleep", { ms: 600_000 }));
    const { length } = clients;
    await waitFor(
      () => shared.place.witness("dev", "one").callsOf("sleep").length === length,
      GENEROUS_MS,
      "all calls",
    );
    await shared.kill();
    for (const response of await Promise.all(waiting))
      expect(failureOf(response)).toContain("may or may not have taken effect");
    const pids = await Promise.all(clients.map((client) => serverPid(client, ONE)));
    expect(new Set(pids).size).toBe(1);
    await shared.onlyProcess();
  });
});

describe("ten clients whose calls make the same server ask", () => {
  it("get their own questions, and never those of others", async () => {
    const shared = new SharedPlace(cleanup, config);
    const names = Array.from({ length: 10 }, (_, index) => `client ${index}`);
    const clients = await Promise.all(
      names.map((name) =>
        shared.client(cleanup, {
          capabilities: { elicitation: {} },
          responders: { "elicitation/create": () => ({ action: "accept", content: { name } }) },
        }),
      ),
    );
    const round = (): Promise<string[]> =>
      Promise.all(clients.map(async (by) => textOf(await useTool(by, "dev/one/elicit"))));
    const own = names.map((name) => ({ result: { action: "accept", content: { name } } }));
    // The server may ask for the first time while calls of several clients are in flight.
    const wrong = (await round()).filter(
      (text, index) =>
        !text.includes("take turns from now on") && text !== JSON.stringify(own[index]),
    );
    expect(wrong).toEqual([]);
    for (let again = 0; again < 5; again++)
      expect((await round()).map((text) => JSON.parse(text) as unknown)).toEqual(own);
    expect(shared.place.witness("dev", "one").starts).toBe(1);
  });
});

describe("a client that does not read", () => {
  it("delays no other client", async () => {
    const shared = new SharedPlace(cleanup, config);
    const [slow, quick] = await manyClients(shared, 2);
    if (slow === undefined || quick === undefined) throw new Error("two clients are needed");
    slow.child.stdout.pause();
    const large = Array.from({ length: 60 }, () =>
      useTool(slow, "dev/one/big", { bytes: 1_000_000 }),
    );
    for (let i = 0; i < 50; i++)
      expect(textOf(await useTool(quick, "dev/one/echo", { text: String(i) }))).toBe(String(i));
    slow.child.stdout.resume();
    expect(await Promise.all(large)).toHaveLength(60);
  });
});

describe("the end of the shared process and all clients at once", () => {
  it("leaves no server, and nothing that keeps the next client from starting", async () => {
    const shared = new SharedPlace(cleanup, config);
    const clients = await manyClients(shared, 5);
    await Promise.all(clients.map((client) => serverPid(client, ONE)));
    const servers = shared.place.servers().map(({ pid }) => pid);
    expect(servers.length).toBeGreaterThan(0);
    process.kill(shared.record.pid, "SIGKILL");
    for (const client of clients) client.kill("SIGKILL");
    await waitFor(() => !servers.some(alive), GENEROUS_MS, "the servers to end");
    // A client that was killed while it started the process, and a lock of a process that is gone.
    const [record = ""] = readdirSync(shared.folder).filter((name) => name.endsWith(".json"));
    const key = record.slice(0, -".json".length);
    writeFileSync(join(shared.folder, `${key}.starting`), String(shared.record.pid));
    const client = await shared.client(cleanup);
    expect(servers).not.toContain(await serverPid(client, ONE));
    await shared.onlyProcess();
    // The disk was full when a client wanted to say that it starts the process.
    await shared.kill();
    const marker = join(shared.folder, `${key}.starting`);
    writeFileSync(marker, "");
    utimesSync(marker, new Date(0), Date.now() / 1000 - 5);
    const next = await shared.client(cleanup);
    await serverPid(next, ONE);
    expect(next.stderr).not.toContain("not shared");
  });
});

describe("a client that found the configuration in its folder", () => {
  it("does not share it with one that names it, because only its changes need trust", async () => {
    const shared = new SharedPlace(cleanup, config);
    expect(runCommand(shared.place, "trust", "--yes").code).toBe(0);
    const named = await shared.client(cleanup);
    await serverPid(named, ONE);
    const found = await shared.client(cleanup, { env: { WORKBENCH_CONFIG: "" } });
    expect(await serverPid(found, ONE)).not.toBe(await serverPid(named, ONE));
    expect(found.stderr).toContain("not shared: it uses the configuration with --config");
  });
});

describe("metrics of clients that share a workbench", () => {
  it("are those of all of them", async () => {
    const shared = new SharedPlace(cleanup, config);
    const port = await freePort();
    const clients = [
      await shared.client(cleanup, { more: ["--metrics", String(port)] }),
      await shared.client(cleanup),
    ];
    for (const client of clients) await serverPid(client, ONE);
    const both = /operation_duration_seconds_count\{[^}]*gen_ai_tool_name="status"[^}]*\} 2\n/;
    // A call is counted when it has been answered.
    const areCounted = async (): Promise<boolean> =>
      both.test(await (await fetch(`http://127.0.0.1:${port}/metrics`)).text());
    await expect(waitFor(areCounted, GENEROUS_MS, "both calls")).resolves.toBe(true);
  });
});
