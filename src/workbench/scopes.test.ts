import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { resolveConfig } from "../config/load.ts";
import type { WorkbenchConfig } from "../config/schema.ts";
import { OWNER_PRINCIPAL, type Principal } from "../calls/principal.ts";
import { ownProfile } from "../protocol/client-profile.ts";
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

  it("is not kept after it was released, and neither is what was derived from it", async () => {
    const workbench = await start(BOXES);
    const { scopes, toolboxes } = workbench;
    const alice = principal({ toolboxes: ["dev", "new"] });
    const [first, second] = [
      { ...alice, id: "1" },
      { ...alice, id: "2" },
    ];
    const [released, kept] = [first, second].map((one) => scopes.restrict(toolboxes, one));
    const [child, other] = [released, kept].map((one) => scopes.select(one as Scope, ["new"]));
    scopes.release(toolboxes, first);
    await workbench.apply(await settings({ new: ["a"] }));
    expect([kept, other].map((one) => namesIn(one as Scope))).toEqual([["new/a"], ["new/a"]]);
    // Nothing updates them any longer.
    expect([released, child].map((one) => one?.has("new"))).toEqual([false, false]);
    expect(namesIn(scopes.restrict(toolboxes, first))).toEqual(["new/a"]);
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

describe("a server that each user signs in to", () => {
  const config = (credentials: "perUser" | "shared") =>
    resolveConfig(
      {
        log: { level: "silent" },
        toolboxes: {
          dev: {
            description: "d",
            mcpServers: {
              own: { url: "http://127.0.0.1:9", credentials },
              all: { command: "none" },
            },
          },
        },
      },
      { env: {}, cwd: "." },
    );
  const user = (id: string): Principal => ({ kind: "token", id, name: "ci", readOnly: false });
  const serverIn = (scope: Scope, name: string) => scope.get("dev")?.servers.get(name);
  const perUser = async () => {
    const workbench = new Workbench(await config("perUser"), { cache: false });
    return { workbench, scopes: workbench.scopes, toolboxes: workbench.toolboxes };
  };

  it("is a separate one for each of them, and the usual one for the owner", async () => {
    const { scopes, toolboxes } = await perUser();
    const one = scopes.restrict(toolboxes, user("token:1"));
    const other = scopes.restrict(toolboxes, user("token:2"));
    const [own, others] = [serverIn(one, "own"), serverIn(other, "own")];
    expect(new Set([own, others, serverIn(toolboxes, "own")]).size).toBe(3);
    expect(own?.settings.transport).toMatchObject({ oauth: { user: { id: "token:1" } } });
    expect(serverIn(one, "all")).toBe(serverIn(toolboxes, "all"));
    expect(serverIn(scopes.select(one, ["dev"]), "own")).toBe(own);
    const place = { toolbox: "dev", server: "own" };
    expect(serverIn(scopes.only(one, place), "own")).toBe(own);
    const only = scopes.restrict(scopes.only(toolboxes, place), user("token:1"));
    expect(serverIn(only, "own")).toBe(own);
    for (const kind of ["owner", "stdio", "local"] as const) {
      const scope = scopes.restrict(toolboxes, { ...OWNER_PRINCIPAL, kind, id: kind });
      expect(serverIn(scope, "own")).toBe(serverIn(toolboxes, "own"));
    }
  });

  it("has a search of its own for each of them", async () => {
    const { scopes, toolboxes, workbench } = await perUser();
    for (let times = 0; times < 2; times++) {
      const scope = scopes.restrict(toolboxes, user("token:1"));
      expect(scopes.limitOf(scope)).toBe(scope);
      expect(scopes.limitOf(scopes.select(scope, ["dev"]))).toBe(scope);
    }
    expect(scopes.limitOf(scopes.restrict(toolboxes, OWNER_PRINCIPAL))).toBe(toolboxes);
    await workbench.apply(await config("shared"));
    expect(scopes.limitOf(scopes.restrict(toolboxes, user("token:1")))).toBe(toolboxes);
  });

  it("follows the configuration", async () => {
    const { scopes, toolboxes, workbench } = await perUser();
    const scope = scopes.restrict(toolboxes, user("token:1"));
    const before = serverIn(scope, "own");
    await workbench.apply(await config("shared"));
    expect(serverIn(scope, "own")).toBe(serverIn(toolboxes, "own"));
    await expect(before?.connect(ownProfile())).rejects.toThrow("no longer in the configuration");
    await workbench.apply(await config("perUser"));
    expect(serverIn(scope, "own")).not.toBe(serverIn(toolboxes, "own"));
  });

  it("ends with the last clients of its user", async () => {
    const { scopes, toolboxes } = await perUser();
    const whole = scopes.restrict(toolboxes, user("token:1"));
    const limited = { ...user("token:1"), toolboxes: ["dev"] };
    const own = serverIn(whole, "own");
    expect(serverIn(scopes.restrict(toolboxes, limited), "own")).toBe(own);
    scopes.release(toolboxes, user("token:1"));
    const users = () => [...(toolboxes.get("dev")?.personal.values("own") ?? [])];
    expect(users().map(({ server }) => server)).toEqual([own]);
    scopes.release(toolboxes, limited);
    expect(users()).toEqual([]);
    expect(own?.state).toBe("closing");
  });
});
