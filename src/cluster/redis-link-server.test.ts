import { randomBytes } from "node:crypto";
import { type AddressInfo, type Socket, createServer } from "node:net";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { NO_LOG } from "../log.ts";
import type { ClusterLink } from "./cluster-link.ts";
import { openClusterLink } from "./redis-link.ts";

/** What a server answers to each command, in the protocol of Redis; undefined for no answer. */
type Answers = (name: string, args: readonly string[]) => string | undefined;

const OK = "+OK\r\n";
const OUT_OF_MEMORY = "-OOM command not allowed when used memory > 'maxmemory'.\r\n";
const timeOf = (ms: number): string => {
  const [seconds, microseconds] = [String(Math.floor(ms / 1000)), String((ms % 1000) * 1000)];
  return `*2\r\n$${seconds.length}\r\n${seconds}\r\n$${microseconds.length}\r\n${microseconds}\r\n`;
};
const healthy: Answers = (name) => (name === "TIME" ? timeOf(Date.now()) : OK);

/** The commands in what a client has sent; each is a list of texts with their lengths. */
function commandsIn(sent: string): string[][] {
  const lines = sent.split("\r\n");
  const commands: string[][] = [];
  for (let at = 0; lines[at]?.startsWith("*");) {
    const count = Number(lines[at]?.slice(1));
    commands.push(Array.from({ length: count }, (_, i) => lines[at + 2 * (i + 1)] ?? ""));
    at += 1 + 2 * count;
  }
  return commands;
}

describe("a link to a Redis", () => {
  let answers: Answers = healthy;
  let connections = 0;
  const sockets = new Set<Socket>();
  const warnings: string[] = [];
  let link: ClusterLink;
  const server = createServer((socket) => {
    connections++;
    sockets.add(socket);
    socket.on("error", () => {});
    socket.on("data", (sent) => {
      for (const [name = "", ...args] of commandsIn(String(sent))) {
        const answer = name.toUpperCase() === "INFO" ? "$0\r\n\r\n" : answers(name, args);
        if (answer !== undefined) socket.write(answer);
      }
    });
  });
  beforeEach(async () => {
    answers = healthy;
    warnings.length = 0;
    connections = 0;
    await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  });
  afterEach(async () => {
    await link.close();
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  });

  const open = (): ClusterLink => {
    const redis = `redis://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const keys = [randomBytes(32).toString("base64")];
    const settings = { redis, advertise: "http://127.0.0.1:2", keys, name: "test", drainMs: 0 };
    const log = { ...NO_LOG, warn: (text: string) => void warnings.push(text) };
    link = openClusterLink(settings, "replica", log);
    return link;
  };
  const isUpAgain = (): Promise<void> =>
    new Promise((resolve) => {
      const stop = link.onUp(() => {
        resolve();
        queueMicrotask(() => stop());
      });
    });

  it("that takes no changes is not used, until it does", async () => {
    answers = (name) => (name === "SET" ? OUT_OF_MEMORY : healthy(name, []));
    open();
    await link.started;
    expect(link.isUp).toBe(false);
    await expect(link.command("GET", "a")).rejects.toThrow("Redis is not reachable");
    expect(warnings).toEqual([expect.stringContaining("OOM")]);
    answers = healthy;
    await isUpAgain();
    expect(link.isUp).toBe(true);
    expect(warnings).toHaveLength(2);
  });

  it("that begins to refuse changes is away from then on, also if a script reports it", async () => {
    open();
    await link.started;
    expect(link.isUp).toBe(true);
    answers = (name) => (name === "TIME" ? timeOf(0) : OUT_OF_MEMORY);
    await expect(link.script("return 1", [], [])).rejects.toThrow("OOM");
    expect(link.isUp).toBe(false);
    answers = healthy;
    await isUpAgain();
    expect(await link.command("SET", "a", "b")).toBe("OK");
  });

  it("that has become a copy of another is connected to again: its name may lead elsewhere", async () => {
    open();
    await link.started;
    const before = connections;
    answers = (name) =>
      name === "SET" && connections === before
        ? "-READONLY You can't write\r\n"
        : healthy(name, []);
    await expect(link.command("SET", "a", "b")).rejects.toThrow("READONLY");
    expect(link.isUp).toBe(false);
    await isUpAgain();
    expect(connections).toBeGreaterThan(before);
  });

  it("has the time of all replicas, whatever the clock of this machine says", async () => {
    const hours = 3 * 3_600_000;
    answers = (name) => (name === "TIME" ? timeOf(Date.now() + hours) : OK);
    open();
    expect(Math.abs(link.now - Date.now())).toBeLessThan(hours / 2);
    await link.started;
    expect(link.now - Date.now()).toBeGreaterThan(hours / 2);
  });

  it("that does not permit to ask for the time is used with that of this machine", async () => {
    answers = (name) => (name === "TIME" ? "-NOPERM no permissions\r\n" : OK);
    open();
    await link.started;
    expect(link.isUp).toBe(true);
    expect(Math.abs(link.now - Date.now())).toBeLessThan(3_600_000);
  });
});
