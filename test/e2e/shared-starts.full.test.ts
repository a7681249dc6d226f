/** Clients with different variables: what fails for one of them works for the others. */
import { describe, expect, it } from "vitest";
import { failureOf, textOf, useTool } from "../support/calls.ts";
import { perTest } from "../support/disposables.ts";
import { dev, fixture } from "../support/servers.ts";
import { SharedPlace } from "../support/shared.ts";

const cleanup = perTest();
const FAILURES = 4;

describe("a server that cannot be started for one client", () => {
  it("because a variable is missing is started for another one", async () => {
    const server = { ...fixture(), env: { OWN: "${OWN}" } };
    const shared = new SharedPlace(cleanup, dev({ fx: server }, { shared: { idleMs: 600_000 } }));
    const without = await shared.client(cleanup);
    const echo = { text: "works" };
    expect(failureOf(await useTool(without, "dev/fx/echo", echo))).toContain("OWN");
    const having = await shared.client(cleanup, { env: { OWN: "mine" } });
    expect(textOf(await useTool(having, "dev/fx/echo", echo))).toBe("works");
    expect(failureOf(await useTool(without, "dev/fx/echo", echo))).toContain("OWN");
    const found = await having.request("tools/call", {
      name: "search_tools",
      arguments: { query: "echo text" },
    });
    expect(textOf(found)).toContain("echo");
  });

  it("because its command fails is started for another one at once", async () => {
    const server = {
      ...fixture("--name", "${MODE:-fine}"),
      env: { NODE_OPTIONS: "${NODE_MODE:-}" },
    };
    const shared = new SharedPlace(cleanup, dev({ fx: server }, { shared: { idleMs: 600_000 } }));
    const broken = await shared.client(cleanup, { env: { NODE_MODE: "--require=/missing.js" } });
    const fine = await shared.client(cleanup);
    for (let i = 0; i < FAILURES; i++)
      expect(failureOf(await useTool(broken, "dev/fx/echo", { text: "no" }))).not.toBe("");
    expect(textOf(await useTool(fine, "dev/fx/echo", { text: "works" }))).toBe("works");
    expect(failureOf(await useTool(broken, "dev/fx/echo", { text: "no" }))).not.toBe("");
    expect(textOf(await useTool(fine, "dev/fx/echo", { text: "works" }))).toBe("works");
  });
});
