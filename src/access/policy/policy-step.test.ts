import { describe, expect, it } from "vitest";

import { settingsWith } from "../../../test/support/fake-connection.ts";
import type { ClientCall } from "../../calls/call.ts";
import { STDIO_PRINCIPAL } from "../../calls/principal.ts";
import type { WorkbenchSettings } from "../../config/types.ts";
import { Catalogue } from "../../servers/tools/catalogue.ts";
import { Policy } from "./policy.ts";
import { policyStep } from "./policy-step.ts";

const place = { toolbox: "dev", server: "git" };

/** Sends a method of the server's own. */
async function sendOwn(readOnly: boolean): Promise<string> {
  const policy = { readOnly, rules: [], default: "allow" as const };
  const servers = new Map([["git", settingsWith({ toolbox: "dev", name: "git" })]]);
  const settings = { policy, toolboxes: new Map([["dev", { servers }]]) };
  const made = {
    principal: STDIO_PRINCIPAL,
    method: "acme/delete",
    label: "acme/delete",
    destination: { server: { place }, subject: "" },
  } as unknown as ClientCall;
  const current = new Policy(settings as unknown as WorkbenchSettings);
  const step = policyStep(() => current);
  return JSON.stringify(
    await step(made, async () => ({ kind: "result", text: "passed" }) as never),
  );
}

/** Calls a tool of a server with the tools `get` and `delete_all`, of which the latter is denied. */
async function call(name: string): Promise<{ text: string; waits: number }> {
  const rules = [{ tools: ["git/delete_*"], action: "deny" as const }];
  const policy = { readOnly: false, rules, default: "allow" as const };
  const servers = new Map([["git", settingsWith({ toolbox: "dev", name: "git" })]]);
  const toolboxes = new Map([["dev", { servers }]]);
  const settings = { policy, toolboxes } as unknown as WorkbenchSettings;
  const listed = ["get", "delete_all"].map((tool) => ({ name: tool }));
  const catalogue = new Catalogue(
    listed.map((value) => ({ value, text: JSON.stringify(value) })),
    () => true,
  );
  let waits = 0;
  const server = { place, whenListed: async () => void waits++ };
  const made = {
    principal: STDIO_PRINCIPAL,
    method: "tools/call",
    subject: name,
    label: `tool '${name}'`,
    destination: { server, tool: { ...place, name } },
    caller: { connectionTo: () => ({ catalogue, place }) },
  } as unknown as ClientCall;
  const current = new Policy(settings);
  const outcome = await policyStep(() => current)(made, async () => {
    throw new Error("not expected");
  });
  return { text: JSON.stringify(outcome).replaceAll(name, "NAME"), waits };
}

describe("the policy step", () => {
  it("waits for a list that is on its way for a hidden tool, as for one that does not exist", async () => {
    const hidden = await call("delete_all");
    expect(hidden).toEqual(await call("delete_any"));
    expect(hidden.waits).toBe(1);
    expect(hidden.text).toContain("TOOL_NOT_FOUND");
  });

  it("lets methods of the server's own pass, unless only reading is allowed", async () => {
    expect(await sendOwn(false)).toContain("passed");
    expect(await sendOwn(true)).toContain("POLICY_DENIED");
  });
});
