import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { resolveConfig } from "../config/load.ts";
import type { WorkbenchConfig } from "../config/schema.ts";
import { OWNER_PRINCIPAL, type Principal } from "../calls/principal.ts";
import { type Scope, serversIn } from "./scopes.ts";
import { Workbench } from "./workbench.ts";

type Boxes = Readonly<Record<string, readonly string[]>>;

function settings(boxes: Boxes, policy?: WorkbenchConfig["policy"]) {
  const toolboxes = Object.entries(boxes).map(([name, servers]) => [
    name,
    {
      description: name,
      mcpServers: Object.fromEntries(servers.map((server) => [server, { command: "none" }])),
    },
  ]);
  const config = { toolboxes: Object.fromEntries(toolboxes), policy, log: { level: "silent" } };
  return resolveConfig(config as WorkbenchConfig, { env: {}, cwd: "." });
}

const start = async (boxes: Boxes): Promise<Workbench> =>
  new Workbench(await settings(boxes), { cache: false });

/** The names in a scope, as its toolboxes and as their settings state them. */
function namesIn(scope: Scope): string[] {
  for (const [name, toolbox] of scope) {
    expect(toolbox.name).toBe(name);
    expect([...toolbox.settings.servers.keys()]).toEqual([...toolbox.servers.keys()]);
  }
  return serversIn(scope).map(({ place }) => `${place.toolbox}/${place.server}`);
}

const BOXES = { dev: ["x", "y"], ops: ["x", "z"], lab: [] };

type Limits = Pick<Principal, "toolboxes" | "servers">;
const principal = (limits: Limits): Principal => ({ ...OWNER_PRINCIPAL, ...limits });

describe("the scope of a principal", () => {
  it("is everything without limits", async () => {
    const { scopes, toolboxes } = await start(BOXES);
    const scope = scopes.restrict(toolboxes, principal({}));
    expect([...scope]).toEqual([...toolboxes]);
    expect(scope.get("dev")).toBe(toolboxes.get("dev"));
    for (const one of [toolboxes, scope]) expect(scopes.limitOf(one)).toBe(toolboxes);
  });

  it("is limited by a policy for as long as there is one", async () => {
    const workbench = await start(BOXES);
    const { scopes, toolboxes } = workbench;
    const scope = scopes.restrict(toolboxes, principal({}));
    const dev = scopes.select(scope, ["dev"]);
    const allow = { tools: ["y/*"], action: "allow" as const };
    const deny = { clients: ["owner"], action: "deny" as const };
    await workbench.apply(await settings(BOXES, { rules: [allow, deny] }));
    expect([namesIn(scope), namesIn(dev)]).toEqual([["dev/y"], ["dev/y"]]);
    for (const one of [scope, dev]) expect(scopes.limitOf(one)).toBe(scope);
    await workbench.apply(await settings(BOXES));
    expect([...scope]).toEqual([...toolboxes]);
    expect(scopes.limitOf(dev)).toBe(toolboxes);
    await workbench.close();
  });

  it.each<[Limits, string[], string[]]>([
    [{ toolboxes: ["dev"], servers: [] }, ["dev"], ["dev/x", "dev/y"]],
    [{ toolboxes: [], servers: ["ops/z"] }, ["ops"], ["ops/z"]],
    [
      { toolboxes: ["dev"], servers: ["ops/x", "dev/x"] },
      ["dev", "ops"],
      ["dev/x", "dev/y", "ops/x"],
    ],
    [{ toolboxes: ["lab"] }, ["lab"], []],
    [{ toolboxes: [], servers: ["dev/none", "none/x", "dev", "/x", "dev/x/"] }, [], []],
    [{ toolboxes: ["DEV", "dev/x", "__proto__"], servers: [] }, [], []],
    [{ toolboxes: [], servers: [] }, [], []],
  ])("has what it may see: %j", async (limits, boxes, servers) => {
    const { scopes, toolboxes } = await start(BOXES);
    const scope = scopes.restrict(toolboxes, principal(limits));
    expect([...scope.keys()]).toEqual(boxes);
    expect(namesIn(scope)).toEqual(servers);
    expect(scopes.limitOf(scope)).toBe(scope);
  });

  it("is shared by principals with the same limits, and keeps its toolboxes", async () => {
    const workbench = await start(BOXES);
    const { scopes, toolboxes } = workbench;
    const scope = scopes.restrict(toolboxes, principal({ servers: ["ops/z", "dev/x"] }));
    expect(scopes.restrict(toolboxes, principal({ servers: ["dev/x", "ops/z"] }))).toBe(scope);
    expect(scopes.restrict(toolboxes, principal({ servers: ["dev/x"] }))).not.toBe(scope);
    const ops = scope.get("ops");
    await workbench.apply(await settings({ ...BOXES, more: ["x"] }));
    expect(scope.get("ops")).toBe(ops);
    await workbench.close();
  });

  it("follows the configuration, as do the scopes of single toolboxes in it", async () => {
    const workbench = await start(BOXES);
    const { scopes, toolboxes } = workbench;
    const scope = scopes.restrict(
      toolboxes,
      principal({ toolboxes: ["new"], servers: ["ops/z", "dev/y"] }),
    );
    const ops = scopes.select(scope, ["ops"]);
    expect(scopes.limitOf(ops)).toBe(scope);
    expect(namesIn(scope)).toEqual(["dev/y", "ops/z"]);
    expect(namesIn(ops)).toEqual(["ops/z"]);
    await workbench.apply(await settings({ dev: ["x"], ops: ["x"], new: ["a", "b"] }));
    expect([...scope.keys()]).toEqual(["new"]);
    expect([namesIn(scope), namesIn(ops)]).toEqual([["new/a", "new/b"], []]);
    await workbench.apply(await settings(BOXES));
    expect([namesIn(scope), namesIn(ops)]).toEqual([["dev/y", "ops/z"], ["ops/z"]]);
    await workbench.close();
  });

  it("is exactly what the limits allow, of any scope it is derived from", async () => {
    const name = fc.constantFrom("a", "b", "c");
    const boxes = fc.dictionary(name, fc.uniqueArray(name));
    const limits = fc.record({
      toolboxes: fc.array(name),
      servers: fc.array(fc.tuple(name, name).map((names) => names.join("/"))),
    });
    await fc.assert(
      fc.asyncProperty(boxes, boxes, limits, fc.array(name), async (first, next, limit, served) => {
        const workbench = await start(first);
        const base = workbench.scopes.select(workbench.toolboxes, [...new Set(served)]);
        const scope = workbench.scopes.restrict(base, principal(limit));
        await workbench.apply(await settings(next));
        const expected = [...new Set(served)].flatMap((box) =>
          (next[box] ?? [])
            .filter(
              (server) =>
                limit.toolboxes.includes(box) || limit.servers.includes(`${box}/${server}`),
            )
            .map((server) => `${box}/${server}`),
        );
        expect(namesIn(scope)).toEqual(expected);
        await workbench.close();
      }),
      { numRuns: 60 },
    );
  });
});
