import { describe, expect, it } from "vitest";

import type { CallClient, ClientCall } from "../../calls/call.ts";
import type { Outcome } from "../../calls/outcome.ts";
import type { Principal } from "../../calls/principal.ts";
import { NO_LOG } from "../../log.ts";
import { type PastUse, boostsFor, pastUse } from "../../search/past-uses.ts";
import { LateUses } from "./late-uses.ts";

const FOUND: Outcome = { kind: "result", result: {} };
const ANSWERED = { kind: "response", response: { isError: false, isFailure: false } };
const FAILED = { kind: "response", response: { isError: true, isFailure: false } };

const client = { era: "legacy" } as CallClient;

function search(query: string, kind: Principal["kind"] = "stdio"): ClientCall {
  const params = { name: "search_tools", arguments: { query } };
  return {
    method: "tools/call",
    principal: { kind },
    caller: client,
    request: { params },
  } as unknown as ClientCall;
}

function use(name: string, kind: Principal["kind"] = "stdio", caller = client): ClientCall {
  return {
    method: "tools/call",
    principal: { kind },
    caller,
    request: { params: { name: "use_tool" } },
    destination: { server: {}, tool: { toolbox: "dev", server: "fx", name } },
  } as unknown as ClientCall;
}

function newUses(isOn = true): { uses: LateUses; stored: PastUse[] } {
  const stored: PastUse[] = [];
  const parts = {
    boostsFor,
    pastUse,
    uses: stored,
    readUses: () => stored,
    addUses: (added: readonly PastUse[]) => Promise.resolve(void stored.push(...added)),
  };
  const context = { settings: { learnFromUse: isOn }, host: { log: NO_LOG } };
  const uses = new LateUses(context, () => Promise.resolve(parts));
  return { uses, stored };
}

const owner = { kind: "stdio" } as Principal;

describe("learning from use", () => {
  it("ranks a tool higher that was used after a similar search", async () => {
    const { uses, stored } = newUses();
    uses.onSettled(search("deploy the website"), FOUND);
    uses.onSettled(use("run"), ANSWERED as Outcome);
    await uses.close();
    expect(stored).toEqual([pastUse("deploy the website", "dev/fx/run")]);
    expect([...((await uses.boosts(owner, "deploy a website")) ?? [])]).toEqual([
      ["dev/fx/run", 0.3],
    ]);
  });

  it("learns nothing from a failed call, a call of another client, or one without a search", async () => {
    const { uses, stored } = newUses();
    uses.onSettled(use("before"), ANSWERED as Outcome);
    uses.onSettled(search("deploy"), FOUND);
    uses.onSettled(use("failed"), FAILED as Outcome);
    uses.onSettled(use("other", "stdio", { era: "legacy" } as CallClient), ANSWERED as Outcome);
    await uses.close();
    expect(stored).toEqual([]);
  });

  it("learns from a call that a script makes", async () => {
    const { uses, stored } = newUses();
    uses.onSettled(search("deploy"), FOUND);
    const nested = use("run", "stdio", { era: "legacy" } as CallClient);
    nested.parent = { caller: client } as ClientCall;
    uses.onSettled(nested, ANSWERED as Outcome);
    await uses.close();
    expect(stored.map(({ tool }) => tool)).toEqual(["dev/fx/run"]);
  });

  it("takes the first three tools after a search", async () => {
    const { uses, stored } = newUses();
    uses.onSettled(search("deploy"), FOUND);
    for (const name of ["a", "b", "c", "d"]) uses.onSettled(use(name), ANSWERED as Outcome);
    await uses.close();
    expect(stored.map(({ tool }) => tool)).toEqual(["dev/fx/a", "dev/fx/b", "dev/fx/c"]);
  });

  it.each(["token", "oauth"] as const)(
    "neither learns from a client of kind %s nor helps it",
    async (kind) => {
      const { uses, stored } = newUses();
      uses.onSettled(search("deploy", kind), FOUND);
      uses.onSettled(use("run", kind), ANSWERED as Outcome);
      await uses.close();
      expect(stored).toEqual([]);
      expect(await uses.boosts({ kind } as Principal, "deploy")).toBeUndefined();
    },
  );

  it("does nothing if it is off", async () => {
    const { uses } = newUses(false);
    expect(await uses.boosts(owner, "deploy")).toBeUndefined();
  });
});
