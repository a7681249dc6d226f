import { describe, expect, it } from "vitest";

import type { LocalClient } from "../../embed/local-client.ts";
import type { Connection } from "../../servers/connection/connection.ts";
import type { Server } from "../../servers/server.ts";
import type { Output } from "../output/output.ts";
import { type Count, connectAll, startsAtOnce } from "./connect.ts";

const OUT = { isInteractive: false, json: false, say: () => {} } as unknown as Output;

const serverNamed = (name: string): Server =>
  ({ name, state: "connecting", settings: { toolbox: "dev", name } }) as unknown as Server;

describe("the number of servers that are started at the same time", () => {
  it("depends on the number of cores, within limits", () => {
    expect([1, 2, 4, 64].map((cores) => startsAtOnce(cores))).toEqual([2, 4, 8, 8]);
  });
});

describe("connecting to many servers", () => {
  const servers = Array.from({ length: 20 }, (_, i) => serverNamed(`s${i}`));

  it("starts a few at a time, and counts them", async () => {
    let running = 0;
    let most = 0;
    const connect = async (server: Server): Promise<Connection> => {
      most = Math.max(most, ++running);
      await new Promise((resolve) => setImmediate(resolve));
      running--;
      if (server.name === "s3") throw new Error("broken");
      return {} as Connection;
    };
    const counts: Count[] = [];
    const lines: string[] = [];
    const outcome = await connectAll(
      { connect } as unknown as LocalClient,
      servers,
      OUT,
      ({ server }) => void lines.push(server.name),
      (count) => void counts.push(count),
    );
    expect(most).toBe(startsAtOnce());
    expect(outcome.connected.map(({ server }) => server.name)).toHaveLength(19);
    expect(outcome.failed.map(({ server }) => server.name)).toEqual(["s3"]);
    expect(lines).toHaveLength(20);
    expect(counts[0]).toEqual({ connected: 0, failed: 0, total: 20 });
    expect(counts.at(-1)).toEqual({ connected: 19, failed: 1, total: 20 });
  });

  it("reports nothing about servers that were stopped with the command", async () => {
    const closing = servers.map((server) => ({ ...server, state: "closing" }) as Server);
    const lines: string[] = [];
    const connect = (): Promise<Connection> => Promise.reject(new Error("closed"));
    const client = { connect } as unknown as LocalClient;
    await connectAll(client, closing, OUT, ({ server }) => void lines.push(server.name));
    expect(lines).toEqual([]);
  });

  it("counts a server whose tools cannot be listed as failed", async () => {
    const problem = new Error("fetch failed");
    const server = { ...serverNamed("s"), whenListed: () => Promise.reject(problem) };
    const connect = (): Promise<unknown> => Promise.resolve({ toolsProblem: problem });
    const client = { connect } as unknown as LocalClient;
    const outcome = await connectAll(client, [server as unknown as Server], OUT);
    expect(outcome.failed.map(({ error }) => error.reason)).toEqual(["fetch failed"]);
  });
});
