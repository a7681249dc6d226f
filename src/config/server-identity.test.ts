import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { newFolder } from "../../test/support/new-folder.ts";
import type { ServerSettings } from "./types.ts";
import { resolveConfig } from "./load.ts";
import type { WorkbenchConfig } from "./schema.ts";
import { serverIdentity } from "./server-identity.ts";

type Entry = WorkbenchConfig["toolboxes"][string]["mcpServers"][string];

async function settings(entry: Entry): Promise<ServerSettings> {
  const config = { toolboxes: { dev: { description: "x", mcpServers: { s: entry } } } };
  const { toolboxes } = await resolveConfig(config, { cwd: "/base", env: {} });
  const found = toolboxes.get("dev")?.servers.get("s");
  if (found === undefined) throw new Error("no such server");
  return found;
}

async function identity(entry: Entry, file?: string, env = {}): Promise<string> {
  return serverIdentity(await settings(entry), file, env);
}

const LOCAL = { command: "server", args: ["a", "b"], env: { A: "1", B: "2" } };
const REMOTE = { url: "https://example.com/mcp", headers: { A: "1", B: "2" } };

describe("the identity of a server", () => {
  it("does not depend on the order of keys or on settings that do not change the server", async () => {
    const reordered = { env: { B: "2", A: "1" }, args: ["a", "b"], command: "server" };
    expect(await identity(reordered)).toBe(await identity(LOCAL));
    const shownOtherwise: Entry = {
      ...LOCAL,
      toolFilters: ["!x"],
      overrides: { x: { hidden: true } },
      timeouts: { callMs: 5 },
    };
    expect(await identity(shownOtherwise)).toBe(await identity(LOCAL));
  });

  it.each<[string, Entry]>([
    ["the program", { ...LOCAL, command: "other" }],
    ["an argument", { ...LOCAL, args: ["a", "c"] }],
    ["the order of arguments", { ...LOCAL, args: ["b", "a"] }],
    ["a variable", { ...LOCAL, env: { A: "1", B: "3" } }],
    ["the folder", { ...LOCAL, cwd: "/elsewhere" }],
    ["the protocol", { ...LOCAL, protocol: "2025-11-25" }],
    ["the kind", REMOTE],
  ])("depends on %s", async (_what, entry) => {
    expect(await identity(entry)).not.toBe(await identity(LOCAL));
  });

  it("depends on the folder of the configuration if the server has no folder of its own", async () => {
    expect(await identity(LOCAL, "/one/config.json")).not.toBe(
      await identity(LOCAL, "/two/config.json"),
    );
    const placed = { ...LOCAL, cwd: "/srv" };
    expect(await identity(placed, "/one/config.json")).toBe(
      await identity(placed, "/two/config.json"),
    );
    expect(await identity(REMOTE, "/one/config.json")).toBe(
      await identity(REMOTE, "/two/config.json"),
    );
  });

  it("depends on headers and inherited variables, because they may mean another account", async () => {
    const other = { ...REMOTE, headers: { A: "1", B: "3" } };
    expect(await identity(other)).not.toBe(await identity(REMOTE));
    const inheriting = { ...LOCAL, inheritEnv: ["TOKEN"] };
    expect(await identity(inheriting, undefined, { TOKEN: "a", X: "1" })).toBe(
      await identity(inheriting, undefined, { TOKEN: "a", X: "2" }),
    );
    expect(await identity(inheriting, undefined, { TOKEN: "a" })).not.toBe(
      await identity(inheriting, undefined, { TOKEN: "b" }),
    );
  });

  it("contains no value of a secret, but where it comes from", async () => {
    const folder = newFolder("workbench-identity");
    try {
      const file = join(folder, "token");
      writeFileSync(file, "canary-value-1", { mode: 0o600 });
      const local = { ...LOCAL, env: { A: `\${file:${file}}`, B: "${keychain:B_TOKEN}" } };
      const remote = { ...REMOTE, headers: { A: `Bearer \${file:${file}}` } };
      const before = [await identity(local), await identity(remote)];
      expect(before.join()).not.toContain("canary");
      writeFileSync(file, "canary-value-2", { mode: 0o600 });
      expect([await identity(local), await identity(remote)]).toEqual(before);
      const other = { ...local, env: { ...local.env, B: "${keychain:C_TOKEN}" } };
      expect(await identity(other)).not.toBe(before[0]);
      const elsewhere = { ...remote, headers: { A: `Bearer \${file:${file}.other}` } };
      expect(await identity(elsewhere)).not.toBe(before[1]);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
