import { EventEmitter, once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { afterEach, describe, expect, it, vi } from "vitest";

import { perTest } from "../../test/support/disposables.ts";
import { settingsWith } from "../../test/support/fake-connection.ts";
import { temporaryFolder } from "../../test/support/workbench.ts";
import { clientProfile } from "../protocol/client-profile.ts";
import type { ServerSettings } from "../config/types.ts";
import { Server } from "./server.ts";

const cleanup = perTest();
const profile = (): ReturnType<typeof clientProfile> => clientProfile("legacy", {}, {});

const TIMEOUTS = {
  connectMs: 100_000,
  callMs: 100_000,
  totalMs: 100_000,
  idleMs: 0,
  shutdownMs: 50,
};
const NO_COMMAND = { kind: "stdio", args: [], env: {}, cwd: undefined } as const;

/** A server whose process runs this script. */
function scripted(script: string, given: Partial<ServerSettings> = {}): Server {
  return new Server(
    settingsWith({
      transport: {
        kind: "stdio",
        command: process.execPath,
        args: ["-e", script],
        env: {},
        cwd: undefined,
      },
      timeouts: TIMEOUTS,
      ...given,
    }),
  );
}

const NEVER_ANSWERS = "setTimeout(() => {}, 600_000)";
const DIES = "process.exit(3)";

/** Says the same to whatever it is asked. */
const answering = (member: string): string => `
  require("node:readline").createInterface(process.stdin).on("line", (line) => {
    const { id } = JSON.parse(line);
    if (id !== undefined) console.log(JSON.stringify({ jsonrpc: "2.0", id, ${member} }));
  });`;

/** The time to wait after failures does not pass by itself, however slow the machine is. */
const stopClock = (): void => void vi.useFakeTimers({ toFake: ["performance"] });
afterEach(() => void vi.useRealTimers());

describe("Server", () => {
  it("does not count a disconnect during connecting as a failure", async () => {
    const server = scripted(NEVER_ANSWERS);
    for (let i = 0; i < 3; i++) {
      const connecting = server.connect(profile()).catch((error: unknown) => String(error));
      expect(server.state).toBe("connecting");
      await server.connections.endAll();
      expect(await connecting).toContain("Failed to connect to server 'fx'");
      expect(server.state).toBe("idle");
    }
    expect(server.failures.lastError).toBeUndefined();
    expect(server.failures.restarts).toBe(0);
    await server.close();
  });

  it("counts an exit during connecting as a failure, and backs off after the second", async () => {
    stopClock();
    const server = scripted(DIES);
    await expect(server.connect(profile())).rejects.toThrow(
      "Failed to connect to server 'fx' in toolbox 'dev': it exited with code 3",
    );
    expect(server.failures.lastError).toBe("it exited with code 3");
    expect(server.failures.lastErrorCode).toBe("exited");
    await expect(server.connect(profile())).rejects.toThrow("code 3");
    expect(server.failures.restarts).toBe(1);
    const early = server.connect(profile());
    await expect(early).rejects.toThrow(/failed 2 times; next try in/);
    await expect(early).rejects.toMatchObject({ causeCode: "exited" });
    expect(server.state).toBe("backoff");
    await server.close();
  });

  it("counts the loss of a connection in use as a failure, and connects again", async () => {
    const result = '{ protocolVersion: "2025-11-25", capabilities: {}, serverInfo: {} }';
    const server = scripted(answering(`result: ${result}`));
    const first = await server.connect(profile());
    expect([server.state, server.connections.size]).toEqual(["ready", 1]);
    for (const running of server.connections.processes) running.kill();
    await vi.waitFor(() => expect(first.closed).toBe(true), 60_000);
    expect([server.state, server.connections.size]).toEqual(["idle", 0]);
    expect(server.failures.lastErrorCode).toBe("killed");
    expect(await server.connect(profile())).not.toBe(first);
    expect(server.failures.restarts).toBe(1);
    await server.close();
  });

  it.each([
    ["killed", scripted('process.kill(process.pid, "SIGKILL")')],
    ["connectTimeout", scripted(NEVER_ANSWERS, { timeouts: { ...TIMEOUTS, connectMs: 300 } })],
    ["rpcError", scripted(answering(`error: { code: -32000, message: "no" }`))],
    ["unsupportedVersion", scripted(answering(`result: { protocolVersion: "1999-01-01" }`))],
    ["ENOENT", new Server(settingsWith({ transport: { ...NO_COMMAND, command: "not-there" } }))],
  ])("reports the failure to connect with the code %s", async (code, server) => {
    await expect(server.connect(profile())).rejects.toMatchObject({ causeCode: code });
    expect(server.failures.lastErrorCode).toBe(code);
    await server.close();
  });

  it("stays connected if its tools cannot be listed, and reports the reason", async () => {
    const server = scripted(
      answering(`result: { protocolVersion: "2025-11-25", capabilities: { tools: {} } }`),
    );
    const connection = await server.connect(profile());
    expect(server.failures.lastErrorCode).toBe("badAnswer");
    expect(server.connections.observed.toolCount).toBeUndefined();
    await expect(server.whenListed(connection)).rejects.toMatchObject({
      code: "CONNECTION_FAILED",
      causeCode: "badAnswer",
    });
    expect([server.state, connection.closed]).toEqual(["ready", false]);
    await server.close();
  });

  it("is asked for its tools again only if the limits of the list have changed", async () => {
    const server = scripted(`
      let lists = 0;
      require("node:readline").createInterface(process.stdin).on("line", (line) => {
        const { id, method } = JSON.parse(line);
        const names = { "tools/list": ["first", "second"].map((name) => name + lists) }[method];
        if (names) lists++;
        const tools = names?.map((name) => ({ name, inputSchema: { type: "object" } }));
        const result = { protocolVersion: "2025-11-25", capabilities: { tools: {} }, tools };
        if (id !== undefined) console.log(JSON.stringify({ jsonrpc: "2.0", id, result }));
      });`);
    const { settings } = server;
    const connection = await server.connect(profile());
    const names = (): string[] => [...connection.catalogue.tools.keys()];
    expect(names()).toEqual(["first0", "second0"]);
    vi.useFakeTimers({ toFake: ["setTimeout"] });
    await server.reconfigure({ ...settings, toolFilters: ["first*"] }, false);
    // No call waits, although the clock stands still.
    await server.whenListed(connection);
    expect(names()).toEqual(["first0"]);
    expect(vi.getTimerCount()).toBe(0);
    vi.useRealTimers();
    await server.reconfigure({ ...settings, limits: { ...settings.limits, tools: 1 } }, false);
    await server.whenListed(connection);
    expect(names()).toEqual(["first1"]);
    await server.close();
  });

  it("describes itself before its tools are listed, even if it ends then", async () => {
    const result = `{ protocolVersion: "2025-11-25", capabilities: { tools: {} }, serverInfo: { name: "x" } }`;
    const server = scripted(`
      require("node:readline").createInterface(process.stdin).on("line", (line) => {
        const { id, method } = JSON.parse(line);
        if (method === "tools/list") process.exit(7);
        if (id !== undefined) console.log(JSON.stringify({ jsonrpc: "2.0", id, result: ${result} }));
      });`);
    const hello = await server.hello(profile());
    expect(hello.serverInfo).toEqual({ name: "x" });
    await expect(server.connect(profile())).rejects.toThrow("it exited with code 7");
    await server.close();
  });

  it("distinguishes a remote server that accepts no TLS connection from one that never answers", async () => {
    const events = new EventEmitter();
    const silent = createServer((socket) => {
      socket.on("error", () => {}).once("data", () => events.emit("request"));
    }).listen(0, "127.0.0.1");
    await once(silent, "listening");
    const { port } = silent.address() as { port: number };
    for (const [scheme, code] of [
      ["http", "answerTimeout"],
      ["https", "connectTimeout"],
    ] as const) {
      // Time passes when the server has been reached, and not before.
      vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
      const url = `${scheme}://127.0.0.1:${port}/mcp`;
      const transport = { kind: "http", url, headers: {} } as const;
      const server = new Server(settingsWith({ transport, timeouts: { connectMs: 2000 } }));
      const failed = server.connect(profile()).catch((error: Error) => error.message);
      await once(events, "request");
      await vi.advanceTimersByTimeAsync(2000);
      expect(await failed).toContain(`127.0.0.1:${port}`);
      expect(server.failures.lastErrorCode).toBe(code);
      vi.useRealTimers();
      await server.close();
    }
    silent.close();
  });

  it("is started at most five times in ten seconds if it fails, whatever the number of clients", async () => {
    stopClock();
    const starts = join(temporaryFolder(cleanup), "starts");
    const counted = `require("node:fs").appendFileSync(${JSON.stringify(starts)}, "x"); ${DIES}`;
    const server = scripted(counted, { isolation: "session" });
    const failure = (): Promise<string> => server.connect(profile()).then(() => "none", String);
    const failures = await Promise.all(Array.from({ length: 12 }, failure));
    for (const text of failures) expect(text).toContain("it exited with code 3");
    // Every start is reported to the client it was made for; the others have to wait.
    expect(failures.filter((text) => !text.includes("next try in"))).toHaveLength(5);
    expect(readFileSync(starts, "utf8")).toBe("xxxxx");
    expect(await failure()).toMatch(/failed [2-5] times; next try in/);
    await server.close();
  });
});
