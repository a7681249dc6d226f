import { afterAll, describe, expect, it, onTestFinished, vi } from "vitest";

import { settingsWith } from "../../test/support/fake-connection.ts";
import type { ServerSettings } from "../config/types.ts";
import { type ServerStart, clientProfile } from "../protocol/client-profile.ts";
import { NAME } from "../version.ts";
import { Server } from "./server.ts";

/** Describes its process and what it learns about the client as its own instructions. */
const REVEALING = `
  const answer = (id, result) => console.log(JSON.stringify({ jsonrpc: "2.0", id, result }));
  require("node:readline").createInterface(process.stdin).on("line", (line) => {
    const { id, method, params } = JSON.parse(line);
    if (method === "initialize")
      answer(id, {
        protocolVersion: "2025-11-25",
        capabilities: {},
        serverInfo: { name: "s", version: "1" },
        instructions: JSON.stringify({
          learned: params.capabilities,
          name: params.clientInfo.name,
          cwd: process.cwd(),
          own: process.env.OWN,
          home: process.env.HOME,
        }),
      });
    else if (id !== undefined) answer(id, { tools: [] });
  });`;

const settings = (given: Partial<ServerSettings> = {}): ServerSettings =>
  settingsWith({
    transport: {
      kind: "stdio",
      command: process.execPath,
      args: ["-e", REVEALING],
      env: {},
      cwd: undefined,
    },
    // On a busy machine a process may need long to start.
    timeouts: { connectMs: 100_000, callMs: 1000, totalMs: 1000, idleMs: 0, shutdownMs: 2000 },
    ...given,
  });

const servers: Server[] = [];
afterAll(() => Promise.all(servers.map((server) => server.close())));

function newServer(given: Partial<ServerSettings> = {}): Server {
  const server = new Server(settings(given));
  servers.push(server);
  return server;
}

/** A client of a shared workbench; `start` is how servers are started for it. */
const sharing = (
  capabilities: Record<string, object>,
  start?: ServerStart,
  sharesAll = true,
  era: "legacy" | "modern" = "legacy",
) =>
  clientProfile(
    era,
    capabilities,
    { name: "c", version: "1" },
    { sharesAll, startOf: () => start },
  );

interface Revealed {
  readonly learned: object;
  readonly name: string;
  readonly cwd: string;
  readonly own?: string;
  readonly home?: string;
}
const revealed = (instructions: string | undefined): Revealed =>
  JSON.parse(instructions ?? "{}") as Revealed;

describe("a server of a shared workbench", () => {
  it("has one connection for clients of different capabilities and eras", async () => {
    const server = newServer();
    const clients = [
      sharing({}),
      sharing({ sampling: {} }),
      sharing({ roots: {} }, undefined, true, "modern"),
    ];
    const [first, ...others] = await Promise.all(clients.map((client) => server.connect(client)));
    expect(others).toEqual([first, first]);
    const { learned, name } = revealed(first?.hello.instructions);
    expect(Object.keys(learned)).toEqual([
      "extensions",
      "elicitation",
      "roots",
      "sampling",
      "tasks",
    ]);
    expect(name).toBe(NAME);
  });

  it.each([
    ["with isolation by capabilities", { isolation: "capabilities" } as const, true],
    ["for a client that sees only this server", {}, false],
  ])("learns the real capabilities %s", async (_, given, sharesAll) => {
    const server = newServer(given);
    const [one, other, same] = await Promise.all([
      server.connect(sharing({}, undefined, sharesAll)),
      server.connect(sharing({ sampling: {} }, undefined, sharesAll)),
      server.connect(sharing({}, undefined, sharesAll)),
    ]);
    expect(same).toBe(one);
    expect(revealed(one?.hello.instructions)).toMatchObject({ learned: {}, name: "c" });
    expect(revealed(other?.hello.instructions).learned).toEqual({ sampling: {} });
  });

  it("is started separately where command, environment or folder differ", async () => {
    const server = newServer();
    const start: ServerStart = {
      key: " elsewhere",
      settings: settings({
        inheritEnv: ["OWN"],
        inherited: { cwd: "/", env: { HOME: "/nowhere", OWN: "x" } },
      }),
    };
    const [usual, elsewhere, again] = await Promise.all([
      server.connect(sharing({})),
      server.connect(sharing({}, start)),
      server.connect(sharing({ roots: {} }, start)),
    ]);
    expect(again).toBe(elsewhere);
    expect(revealed(usual?.hello.instructions)).toMatchObject({ cwd: process.cwd() });
    expect(revealed(elsewhere?.hello.instructions)).toMatchObject({
      cwd: "/",
      own: "x",
      home: "/nowhere",
    });
  });

  it("that cannot be started for some clients is started for others at once", async () => {
    // The pause after the second failure does not pass by itself, however slow the machine is.
    vi.useFakeTimers({ toFake: ["performance"] });
    onTestFinished(() => void vi.useRealTimers());
    const server = newServer();
    const transport = {
      ...settings().transport,
      command: "/missing",
    } as ServerStart["settings"]["transport"];
    const start = { key: " x", settings: settings({ transport }) };
    for (let i = 0; i < 3; i++)
      await expect(server.connect(sharing({}, start))).rejects.toThrow("fx");
    await expect(server.connect(sharing({}, start))).rejects.toThrow("next try in");
    await expect(server.connect(sharing({}))).resolves.toBeDefined();
  });

  it("can be unavailable for some clients only", async () => {
    const server = newServer();
    const start = { key: " x", settings: settings({ unavailable: "TOKEN is not set" }) };
    await expect(server.connect(sharing({}, start))).rejects.toThrow("TOKEN is not set");
    await expect(server.connect(sharing({}))).resolves.toBeDefined();
  });
});
