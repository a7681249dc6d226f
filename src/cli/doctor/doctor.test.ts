import { describe, expect, it } from "vitest";

import packageJson from "../../../package.json" with { type: "json" };
import { Findings } from "./check.ts";
import { unpinnedPackage } from "./packages.ts";
import { MIN_NODE, checkRuntime } from "./runtime.ts";

describe("the check for packages without a version", () => {
  it.each([
    ["npx -y @scope/server /path", "@scope/server"],
    ["npx server@latest", "server"],
    ["npx --yes -p pkg cmd", "pkg"],
    ["npx --package=pkg cmd", "pkg"],
    ["cmd /c npx -y server", "server"],
    ["/usr/bin/npx -y server", "server"],
    ["npx.cmd -y server", "server"],
    ["pnpm dlx server", "server"],
    ["uvx mcp-server-fetch", "mcp-server-fetch"],
    ["uvx --from pkg tool", "pkg"],
    ["npx -y server@^1.2", "server@^1.2"],
  ])("finds in '%s' the package %s", (line, expected) => {
    expect(unpinnedPackage(line.split(" "))).toBe(expected);
  });

  it.each([
    "npx -y @scope/server@1.2.3 /path",
    "npx server@2",
    "npx ./local",
    "npx -y github:user/repo#abc",
    "uvx tool==1.2",
    "uvx tool@1.2",
    "node server.js",
    "docker run -i image",
    "pnpm install",
    "npx",
  ])("finds nothing in '%s'", (line) => {
    expect(unpinnedPackage(line.split(" "))).toBeUndefined();
  });
});

describe("the check of the Node.js version", () => {
  it("requires the version of package.json", () => {
    expect(packageJson.engines.node).toBe(`>=${MIN_NODE.join(".")}`);
  });

  it.each([
    ["20.19.0", "ok"],
    ["22.0.0", "ok"],
    ["20.18.9", "error"],
    ["18.20.0", "error"],
  ])("judges %s as %s", (node, status) => {
    const findings = new Findings(false);
    checkRuntime(findings, node);
    expect(findings.checks).toMatchObject([{ status }]);
  });
});

describe("a problem that doctor can fix", () => {
  const check = { area: "files", subject: "x", status: "warning", message: "m", fix: "f" } as const;

  it("is only reported without --fix", async () => {
    const findings = new Findings(false);
    await findings.repairable(check, () => Promise.reject(new Error("not to be called")));
    expect(findings.checks).toEqual([
      { ...check, fix: "f ('mcp-workbench doctor --fix' does it)" },
    ]);
  });

  it("is fixed with --fix, and reported if that fails", async () => {
    const findings = new Findings(true);
    await findings.repairable(check, () => Promise.resolve());
    await findings.repairable(check, () => Promise.reject(new Error("it is locked.")));
    expect(findings.checks).toEqual([
      { area: "files", subject: "x", status: "fixed", message: "m" },
      { ...check, message: "m; not fixed: it is locked" },
    ]);
  });
});
