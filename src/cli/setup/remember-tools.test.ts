import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it, vi } from "vitest";

import { newFolder } from "../../../test/support/new-folder.ts";
import { parseConfig } from "../../config/load.ts";
import type { KnownServer } from "../../servers/server-memory.ts";
import { DiskCatalogues } from "../../workbench/catalogue/catalogue-store.ts";
import { examplesFor } from "../../workbench/catalogue/example-file.ts";
import { serverIdentity } from "../../config/server-identity.ts";
import { rememberTools } from "./remember-tools.ts";
import type { ServerTrial } from "./trial.ts";

let root: string;
beforeEach(() => {
  root = newFolder("mcp-workbench-remember");
  for (const name of ["CACHE", "STATE"]) vi.stubEnv(`XDG_${name}_HOME`, join(root, name));
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(root, { recursive: true, force: true });
});

const SECRET = "s3cr3t-of-the-keychain";

function listing(name: string): KnownServer {
  const value = { name, description: `Uses ${SECRET}`, inputSchema: { type: "object" } };
  const tools = [{ text: JSON.stringify(value), value }];
  const common = { eras: new Map(), serverInfo: {}, capabilities: {}, others: new Map() };
  return { ...common, instructions: undefined, tools };
}

it("init remembers what servers listed, and which failed unless their tools are known", async () => {
  const file = join(root, "workbench-config.json");
  const mcpServers = { works: { command: "a" }, fails: { command: "b" }, before: { command: "c" } };
  const text = JSON.stringify({ toolboxes: { dev: { description: "d", mcpServers } } });
  writeFileSync(file, text);
  const { toolboxes } = await parseConfig(text, { file, env: {} });
  const read = async (server: string) => {
    const settings = toolboxes.get("dev")?.servers.get(server);
    if (settings === undefined) throw new Error(`no ${server}`);
    const store = new DiskCatalogues((shown) => shown);
    const identity = serverIdentity(settings, file, {});
    return { store, identity, known: await store.read(identity).catch(() => undefined) };
  };
  const earlier = await read("before");
  await earlier.store.write(earlier.identity, listing("old_tool"));

  const result = (error?: string): ServerTrial => ({ tools: 1, tokens: 1, error, lastOutput: [] });
  const place = (server: string) => ({ toolbox: "dev", server });
  await rememberTools(
    { env: {} },
    { file, text },
    {
      known: new Map([["dev/works", listing("new_tool")]]),
      servers: new Map([
        ["dev/works", result()],
        ["dev/fails", result("it exited")],
        ["dev/before", result("it exited")],
      ]),
    },
    {
      working: [{ ...place("works"), tools: 1 }],
      needsUser: ["fails", "before"].map((name) => ({ ...place(name), reason: "", command: "" })),
    },
    [SECRET],
  );

  const { known } = await read("works");
  expect(JSON.stringify(known)).toContain("new_tool");
  expect(JSON.stringify(known)).not.toContain(SECRET);
  expect((await read("fails")).known).toBe("unreachable");
  expect(JSON.stringify((await read("before")).known)).toContain("old_tool");
  expect(examplesFor(file)).toEqual([
    { tool: { toolbox: "dev", server: "works", name: "new_tool" }, arguments: {} },
  ]);
});
