import { describe, expect, it } from "vitest";
import { resolveConfig } from "../../config/load.ts";
import type { WorkbenchSettings } from "../../config/types.ts";
import { Findings } from "./check.ts";
import { checkSandboxes } from "./sandboxes.ts";

const BROKEN = { reason: "bwrap is not installed", fix: "Install bubblewrap" };

function settingsWith(sandbox: object | undefined): Promise<WorkbenchSettings> {
  const server = { command: "x", ...(sandbox && { sandbox }) };
  return resolveConfig(
    { toolboxes: { dev: { description: "d", mcpServers: { s: server } } } } as never,
    { env: {}, cwd: "/srv" },
  );
}

async function found(sandbox: object | undefined, problem: typeof BROKEN | undefined) {
  const findings = new Findings(false);
  const probes = new Map([["bwrap", () => Promise.resolve(problem)]] as const);
  await checkSandboxes(await settingsWith(sandbox), findings, probes);
  return findings.checks.map(({ status, message, fix }) => ({ status, message, fix }));
}

describe("the check of sandboxes", () => {
  it("is an error only if a server needs one that cannot be used", async () => {
    const fix = undefined;
    expect(await found(undefined, undefined)).toEqual([
      { status: "ok", message: "it can be used", fix },
    ]);
    expect(await found(undefined, BROKEN)).toEqual([
      { status: "ok", message: "not available: bwrap is not installed", fix },
    ]);
    const message = BROKEN.reason;
    expect(await found({ kind: "bwrap" }, BROKEN)).toEqual([
      { status: "error", message, fix: BROKEN.fix },
    ]);
    expect(await found({ kind: "bwrap", required: false }, BROKEN)).toEqual([
      { status: "warning", message, fix: BROKEN.fix },
    ]);
  });
});

describe("the setting sandbox", () => {
  it("has absolute paths, and protects the configuration", async () => {
    const sandbox = { kind: "command", read: ["a"], write: ["/b"], command: ["./wrap", "--"] };
    const { toolboxes } = await settingsWith(sandbox);
    const transport = toolboxes.get("dev")?.servers.get("s")?.transport;
    expect(transport).toMatchObject({
      sandbox: {
        kind: "command",
        read: ["/srv/a"],
        write: ["/b"],
        command: ["/srv/wrap", "--"],
        network: false,
        required: true,
        protect: [],
      },
    });
  });
});
