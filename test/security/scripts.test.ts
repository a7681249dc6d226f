/** A script may do what its client may do, and nothing else: every call of it takes the same path. */
import { beforeAll, describe, expect, it } from "vitest";
import { addToken, clientWith } from "../support/access-tokens.ts";
import { auditRows } from "../support/audit.ts";
import { perBlock, perTest } from "../support/disposables.ts";
import { startHttpWorkbench } from "../support/http-workbench.ts";
import { waitFor } from "../support/proc.ts";
import { GENEROUS_MS } from "../support/raw-client.ts";
import { errorOf, runRaw, scriptParams, valueOf } from "../support/scripts.ts";
import { fixture, toolbox } from "../support/servers.ts";
import { type RunningWorkbench, startWorkbench } from "../support/workbench.ts";

const CONFIG = {
  toolboxes: {
    dev: toolbox({
      fx: {
        ...fixture(),
        toolFilters: ["!crash"],
        overrides: { echo: { arguments: { text: "fixed" } }, status: { name: "state" } },
      },
    }),
    other: toolbox({ fx: fixture() }),
  },
  policy: { rules: [{ tools: ["fx/stderr"], action: "deny", reason: "not here" }] },
  limits: { rate: [{ tools: ["fx/log"], calls: 2, perMs: 3_600_000 }] },
  audit: { enabled: true },
};

/** The codes of the errors that these calls end with; null for those that succeed. */
const codesOf = (...calls: readonly string[]): string =>
  `const codes = [];
   for (const path of ${JSON.stringify(calls)})
     await call(path, { text: "x" }).then(() => codes.push(null), (e) => codes.push(e.code));
   return codes;`;

describe("the calls of a script", () => {
  const cleanup = perBlock();
  let workbench: RunningWorkbench;
  beforeAll(async () => {
    const args = ["serve", "--toolbox", "dev"];
    workbench = await startWorkbench(cleanup, CONFIG, { args });
  });

  it("stay in the scope, pass filters, overrides, the policy and rate limits", async () => {
    const { client } = workbench;
    const codes = codesOf(
      "other/fx/echo",
      "dev/fx/crash",
      "dev/fx/status",
      "dev/fx/stderr",
      "dev/fx/log",
      "dev/fx/log",
      "dev/fx/log",
    );
    expect(valueOf(await runRaw(client, codes))).toEqual([
      "TOOLBOX_NOT_FOUND",
      "TOOL_NOT_FOUND",
      "TOOL_NOT_FOUND",
      expect.stringMatching(/^(?:TOOL_NOT_FOUND|POLICY_DENIED)$/),
      null,
      null,
      "RATE_LIMITED",
    ]);
    const fixed = 'return [await call("dev/fx/echo"), (await call("dev/fx/state")).name];';
    expect(valueOf(await runRaw(client, fixed))).toEqual(["fixed", "fixture"]);
    const around = 'return await call("dev/fx/echo", JSON.parse(\'{"text":"a","Text":"b"}\'));';
    expect(errorOf(await runRaw(client, around))).toMatch(/ToolError: Invalid parameters/);
    const bad = errorOf(await runRaw(client, 'await call("bad")'));
    expect(bad).toMatch(/ToolError: 'bad' is not a tool[^]*\nNo calls were made\.$/);
  });

  it("are recorded in the audit log, with the script as their parent", async () => {
    const entries = await waitFor(
      () => [auditRows(workbench)].find((rows) => rows.length >= 14),
      GENEROUS_MS,
      "the entries",
    );
    const script = entries.find(({ tool }) => tool === "run_script");
    const nested = entries.filter(
      ({ parent }) => parent !== undefined && parent === script?.["id"],
    );
    expect(nested).toHaveLength(7);
    expect(nested.map(({ outcome }) => outcome)).toContain("denied");
    expect(nested.filter(({ tool }) => tool === "log")).toHaveLength(3);
    const scripts = entries.filter(({ tool }) => tool === "run_script");
    expect(scripts.map(({ outcome }) => outcome)).toEqual(["ok", "ok", "tool_error", "tool_error"]);
  });
});

describe("a script of a client with an access token", () => {
  const cleanup = perTest();

  it("reaches only the toolboxes of the token, and nothing else exists for it", async () => {
    const workbench = await startHttpWorkbench(cleanup, { ...CONFIG, scripts: { enabled: true } });
    const client = clientWith(workbench, await addToken(workbench, "ci", { toolboxes: ["dev"] }));
    await client.initialize();
    const codes = codesOf("other/fx/echo", "nothing/fx/echo", "dev/fx/state");
    const { result } = await client.ask("tools/call", scriptParams(codes));
    expect(result).toMatchObject({
      content: [{ text: '["TOOLBOX_NOT_FOUND","TOOLBOX_NOT_FOUND",null]' }],
    });
    const reader = clientWith(workbench, await addToken(workbench, "reader", { readOnly: true }));
    await reader.initialize();
    const refused = await reader.ask("tools/call", scriptParams(codesOf("dev/fx/state")));
    // Nothing says that the tool only reads.
    expect(refused.result).toMatchObject({ content: [{ text: '["TOOL_NOT_FOUND"]' }] });
  });
});
