import { rmSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { newFolder } from "../../../test/support/new-folder.ts";
import { connectTo, isListening } from "./connect.ts";
import type { Hello, Welcome } from "./hello.ts";
import { newNonce, newSecret } from "./proof.ts";
import { SharedServer } from "./shared-server.ts";

let folder: string;
const closing: (() => void)[] = [];
beforeEach(() => (folder = newFolder("connect")));
afterEach(() => {
  for (const close of closing.splice(0)) close();
  rmSync(folder, { recursive: true, force: true });
});

const recordAt = (name: string, secret = newSecret()) => ({
  key: "0123456789abcdef-1",
  pid: 1,
  version: "1",
  config: "/a.json",
  socket: join(folder, `${name}.sock`),
  secret,
});

/** A shared process that answers every hello in this way, and the hellos it got. */
async function listening(welcome: Welcome, record = recordAt("a")) {
  const hellos: Hello[] = [];
  const server = new SharedServer(record, async (hello, socket) => {
    hellos.push(hello);
    if (welcome.ok) socket.end('{"ok":true}\nafter\n');
    return welcome;
  });
  await server.listen();
  closing.push(() => server.close());
  return { record, hellos };
}

describe("a connection to the shared process", () => {
  it("is made by both sides that know the secret, and loses nothing that follows", async () => {
    const { record, hellos } = await listening({ ok: true });
    const socket = await connectTo(record, { op: "stop" });
    const chunks: Buffer[] = [];
    socket.on("data", (chunk: Buffer) => chunks.push(chunk));
    await new Promise((resolve) => socket.once("end", resolve).resume());
    socket.destroy();
    expect(Buffer.concat(chunks).toString()).toBe("after\n");
    expect(hellos).toEqual([{ op: "stop" }]);
  });

  it("is refused with a reason, which says whether to try again", async () => {
    const { record } = await listening({ ok: false, reason: "it is ending", retry: true });
    await expect(connectTo(record, { op: "stop" })).rejects.toMatchObject({
      message: "it is ending",
      mayRetry: true,
    });
  });

  it("is not accepted from a client with another secret, which learns nothing", async () => {
    const { record, hellos } = await listening({ ok: true });
    const stranger = { ...record, secret: newSecret() };
    await expect(connectTo(stranger, { op: "stop" })).rejects.toMatchObject({
      message: "it does not know the secret",
      mayRetry: false,
    });
    expect(hellos).toEqual([]);
  });

  it("reveals nothing to a process that does not know the secret", async () => {
    const received: string[] = [];
    const record = recordAt("impostor");
    const impostor = createServer((socket) => {
      socket.on("error", () => {});
      socket.on("data", (chunk) => {
        received.push(String(chunk));
        socket.write(`${newNonce()} ${"0".repeat(64)}\n`);
      });
    });
    await new Promise<void>((resolve) => impostor.listen(record.socket, resolve));
    closing.push(() => impostor.close());
    await expect(connectTo(record, { op: "stop" })).rejects.toThrow("does not know the secret");
    expect(received.join("")).toMatch(/^mcp-workbench-shared\/1 [0-9a-f]{32}\n$/);
  });

  it("does not exist if nothing listens any longer", async () => {
    expect(await isListening(recordAt("gone"))).toBe(false);
    await expect(connectTo(recordAt("gone"), { op: "stop" })).rejects.toMatchObject({
      mayRetry: true,
    });
    const { record } = await listening({ ok: true });
    expect(await isListening(record)).toBe(true);
  });
});
