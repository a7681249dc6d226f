import { describe, expect, it } from "vitest";
import type { Server } from "../servers/server.ts";
import { gather } from "./gather.ts";

const server = (name: string): Server => ({ name }) as Server;
const hung = (): Promise<never> => new Promise(() => {});

describe("gather", () => {
  it("returns the values of several servers in their order, and names what is missing", async () => {
    const answers: Record<string, () => Promise<string | undefined>> = {
      slow: async () => {
        for (let turn = 0; turn < 10; turn++) await undefined;
        return "slow";
      },
      hung,
      quick: async () => "quick",
      without: async () => undefined,
      broken: () => Promise.reject(new Error("secret")),
    };
    const servers = Object.keys(answers).map(server);
    const { found, missing } = await gather(servers, async ({ name }) => answers[name]?.(), 10);
    expect(found).toEqual([
      { server: servers[0], value: "slow" },
      { server: servers[2], value: "quick" },
    ]);
    expect(missing).toEqual([
      { server: servers[1], reason: "no answer within 10 ms" },
      { server: servers[4], reason: "it cannot be listed now" },
    ]);
  });
});
