/**
 * `mcp-workbench approvals`, `approve` and `deny`, for a call that a policy asks about. In the full
 * suite because it starts a program for each command.
 */
import { writeFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { cliPlace, ownConfig, runCli } from "../support/cli.ts";
import { perTest } from "../support/disposables.ts";
import { dev, fixture } from "../support/servers.ts";

const cleanup = perTest();

describe("mcp-workbench approve", () => {
  it("lets a call that waits for it pass once", async () => {
    const at = cliPlace(cleanup);
    const rules = [{ tools: ["fx/echo"], action: "ask", reason: "to be sure" }];
    writeFileSync(ownConfig(at), JSON.stringify({ ...dev({ fx: fixture() }), policy: { rules } }));
    const call = ["call", "dev/fx/echo", "text=hello"];
    const refused = await runCli(at, call);
    const id = /mcp-workbench approve ([A-Z2-9]{6})/.exec(refused.stderr)?.[1] ?? "";
    expect(refused.stderr).toContain("The user has to approve tool 'echo'");
    expect(refused.code).toBe(5);

    const listed = await runCli(at, ["approvals", "--json"]);
    expect(JSON.parse(listed.stdout)).toEqual({
      approvals: [
        {
          id,
          client: "local",
          toolbox: "dev",
          server: "fx",
          tool: "echo",
          arguments: ["text: hello"],
          reason: "to be sure",
          createdAt: expect.any(String),
          expiresAt: expect.any(String),
        },
      ],
      always: [],
    });

    const unconfirmed = await runCli(at, ["approve", id]);
    expect(unconfirmed.stderr).toContain("Without a terminal, --yes is required");
    expect(unconfirmed.code).toBe(2);

    const approved = await runCli(at, ["approve", id.toLowerCase(), "--yes", "--json"]);
    expect(JSON.parse(approved.stdout)).toEqual({ id, tool: "echo", decision: "once" });
    expect((await runCli(at, ["deny", id, "--yes"])).stderr).toContain(
      `No call with the id '${id}'`,
    );
    expect((await runCli(at, call)).stdout).toContain("hello");
    const again = await runCli(at, call);
    const other = /mcp-workbench approve ([A-Z2-9]{6})/.exec(again.stderr)?.[1] ?? "";

    // Always, and no longer.
    await runCli(at, ["approve", other, "--always", "--yes"]);
    expect((await runCli(at, call)).stdout).toContain("hello");
    expect((await runCli(at, ["approvals"])).stdout).toContain(`${other}  dev/fx/echo  for local`);
    expect((await runCli(at, ["deny", other, "--yes"])).stderr).toContain(
      "No longer always allowed",
    );
    expect((await runCli(at, call)).stderr).toContain("mcp-workbench approve");
  });
});
