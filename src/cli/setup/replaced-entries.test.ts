import { describe, expect, it } from "vitest";

import type { EntryScope, FoundServer } from "../../clients/read.ts";
import { resolveConfig } from "../../config/load.ts";
import { replacedEntries } from "./replaced-entries.ts";

const context = { env: { KEY: "value-1" }, cwd: "/" };

function found(scope: EntryScope, env: Record<string, string>): FoundServer {
  return {
    client: "cursor",
    file: "/mcp.json",
    scope,
    project: scope === "project" ? "/" : undefined,
    name: "s",
    path: ["mcpServers", "s"],
    entry: { command: "server", env },
    raw: {},
    disabled: false,
    isWorkbench: false,
    notes: [],
    problems: [],
  };
}

async function isReplaced(entry: FoundServer): Promise<boolean> {
  const mcpServers = { own: { command: "server", env: { KEY: "value-1" } } };
  const settings = await resolveConfig(
    { toolboxes: { dev: { description: "d", mcpServers } } },
    context,
  );
  const { remove } = await replacedEntries(context, [entry], settings);
  return remove.length > 0;
}

describe("an entry of a client that the configuration has, too,", () => {
  it.each<[EntryScope, string, boolean]>([
    ["user", "value-1", true],
    ["user", "${KEY}", true],
    ["user", "value-2", false],
    ["project", "value-1", true],
    // Otherwise a cloned repository could find out what a variable contains.
    ["project", "${KEY}", false],
  ])("of the scope %s with the value %s is replaced: %s", async (scope, value, expected) => {
    expect(await isReplaced(found(scope, { KEY: value }))).toBe(expected);
  });

  it("stays if it is disabled: the client does not load it", async () => {
    const disabled = { ...found("user", { KEY: "value-1" }), disabled: true };
    expect(await isReplaced(disabled)).toBe(false);
  });
});
