import { describe, expect, it } from "vitest";

import { OWNER_PRINCIPAL, type Principal } from "../calls/principal.ts";
import { resolveConfig } from "../config/load.ts";
import type { WorkbenchConfig } from "../config/schema.ts";
import type { Server } from "../servers/server.ts";
import { Workbench } from "../workbench/workbench.ts";
import { principalView, serverView } from "./client-view.ts";
import { Endpoints } from "./http/endpoints.ts";

function settings(policy?: WorkbenchConfig["policy"]) {
  const mcpServers = { x: { command: "none" }, y: { command: "none" } };
  const toolboxes = { dev: { description: "d", mcpServers } };
  const config = { toolboxes, policy, log: { level: "silent" } };
  return resolveConfig(config as WorkbenchConfig, { env: {}, cwd: "." });
}

const start = async (policy?: WorkbenchConfig["policy"]): Promise<Workbench> =>
  new Workbench(await settings(policy), { cache: false });

const limitedTo = (...servers: string[]): Principal => ({
  kind: "token",
  id: "token:0",
  name: "t",
  toolboxes: [],
  servers,
  readOnly: false,
});

describe("a workbench that serves a single server", () => {
  it("shows it to a principal that may use it, and nothing to others", async () => {
    const workbench = await start();
    const { toolboxes } = workbench;
    const server = toolboxes.get("dev")?.servers.get("x") as Server;
    const served = serverView(workbench, toolboxes, server);
    const view = principalView(workbench, served, limitedTo("dev/x"));
    expect(view?.server).toBe(server);
    expect([...(view?.scope.get("dev")?.servers.keys() ?? [])]).toEqual(["x"]);
    expect(principalView(workbench, served, limitedTo("dev/y"))).toBeUndefined();
  });

  it("has no other server in the scope of its clients, also after a reload", async () => {
    const workbench = await start();
    const { toolboxes } = workbench;
    const served = serverView(
      workbench,
      toolboxes,
      toolboxes.get("dev")?.servers.get("x") as Server,
    );
    const names = (): string[] => [...(served.scope.get("dev")?.servers.keys() ?? [])];
    expect(names()).toEqual(["x"]);
    await workbench.apply(workbench.settings);
    expect(names()).toEqual(["x"]);
  });

  it("has the same addresses for a principal that may not use it as for an empty one", async () => {
    const workbench = await start();
    const { toolboxes } = workbench;
    const server = toolboxes.get("dev")?.servers.get("x") as Server;
    const served = serverView(workbench, toolboxes, server);
    const endpoints = new Endpoints(workbench, served, limitedTo("dev/y"));
    for (const names of [[], ["dev"], ["dev", "x"], ["dev", "y"], ["none"], ["none", "x"]])
      expect(endpoints.find(names)).toMatchObject({
        code: "NOTHING_HERE",
        message: `Not found: ${["/mcp", ...names].join("/")}`,
      });
  });

  it("is there for a principal as soon as the policy allows it", async () => {
    const workbench = await start({ default: "deny" });
    await workbench.pipeline.preparing;
    const { toolboxes } = workbench;
    const server = toolboxes.get("dev")?.servers.get("x") as Server;
    const served = serverView(workbench, toolboxes, server);
    const endpoints = new Endpoints(workbench, served, OWNER_PRINCIPAL);
    expect(endpoints.find([])).toMatchObject({ code: "NOTHING_HERE" });
    await workbench.apply(await settings());
    expect(endpoints.find([])).toMatchObject({ view: { server } });
  });
});
