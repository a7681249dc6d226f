import { expect } from "vitest";
import { CAPABILITIES, type Json, infoOf } from "../../support/clients/matrix-client.ts";
import { INSTRUCTIONS, SERVER_INFO } from "../servers/definitions.mjs";
import { type Subject, SERVER, jsonOf } from "../subject.ts";
import type { Probes } from "./probe.ts";

/** The instructions of the server, wherever a client finds them in this mode. */
export async function instructionsOf(subject: Subject): Promise<unknown> {
  const { client, column } = subject;
  if (subject.plain) return client.hello.instructions;
  if (column.mode === "proxy" || client.era === "legacy")
    return ((await subject.open())["instructions"] as Json | undefined)?.[SERVER];
  const { _meta: meta } = await client.request("tools/list");
  const all = (meta as Json | undefined)?.["mcp-workbench/instructions"] as Json | undefined;
  return all?.[`${subject.toolbox}/${SERVER}`];
}

/** The capabilities of the workbench when it serves several servers. */
export const WORKBENCH_CAPABILITIES = {
  tools: { listChanged: true },
  prompts: { listChanged: true },
  resources: { subscribe: true, listChanged: true },
  completions: {},
  logging: {},
};

export const helloProbes: Probes = {
  hello: async (subject) => {
    const { serverInfo, capabilities } = subject.client.hello;
    expect(capabilities).toMatchObject(WORKBENCH_CAPABILITIES);
    if (subject.plain) {
      expect(serverInfo).toEqual(SERVER_INFO);
      expect(capabilities["experimental"]).toEqual({ "fixture/experiment": { on: true } });
    } else expect(serverInfo).toMatchObject({ name: "mcp-workbench" });
  },
  instructions: async (subject) => {
    expect(await instructionsOf(subject)).toBe(INSTRUCTIONS);
  },
  capabilitiesTold: async (subject) => {
    const { capabilities } = jsonOf(await subject.tool("told"));
    expect(capabilities).toEqual(CAPABILITIES);
  },
  clientInfoTold: async (subject) => {
    const { clientInfo } = jsonOf(await subject.tool("told"));
    expect(clientInfo).toEqual(infoOf(subject.client.kind));
  },
};
