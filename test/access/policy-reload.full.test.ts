/** A policy that is added while clients are connected hides the same from them as from later clients. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { WorkbenchConfig } from "../../src/config/schema.ts";
import { resolveConfig } from "../../src/config/load.ts";
import type { Workbench } from "../../src/workbench/workbench.ts";
import type { Message, Params } from "../support/clients/json-rpc.ts";
import { perTest } from "../support/disposables.ts";
import {
  CELLS,
  type Cell,
  type Request,
  inProcessClient,
  inProcessWorkbench,
} from "../support/in-process-clients.ts";
import { witnessedServer } from "../support/witnessed-server.ts";
import { temporaryFolder } from "../support/workbench.ts";

const cleanup = perTest();
const AT = { toolbox: "dev", server: "kept" };
const DENY_GONE = { rules: [{ tools: ["kept/*"], action: "allow" }, { action: "deny" }] };
const OWN_LISTS = /"method":"(?:tools|prompts|resources|resources\/templates)\/list"/;

interface Started {
  readonly request: Request;
  /** Adds a policy, and servers. */
  deny(policy?: object, added?: object): Promise<void>;
  /** What the denied server got since it was denied, besides the lists that the workbench keeps. */
  received(): string[];
}

async function start(cell: Cell): Promise<Started> {
  const witness = join(temporaryFolder(cleanup), "gone");
  const server = (name: string, file: string): object => ({
    ...witnessedServer(cleanup, name),
    env: { WITNESS: file },
  });
  const mcpServers = { kept: server("kept", `${witness}-kept`), gone: server("gone", witness) };
  const config = {
    toolMode: cell.mode === "dynamic" ? "dynamic" : "proxy",
    log: { level: "silent" },
    toolboxes: { dev: { description: "d", mcpServers } },
  };
  const workbench: Workbench = await inProcessWorkbench(cleanup, config, cell.mode);
  const request = await inProcessClient(cleanup, workbench, cell, AT);
  const read = (): string => readFileSync(witness, "utf8");
  let before = 0;
  const deny = async (policy: object = DENY_GONE, added: object = {}): Promise<void> => {
    const toolboxes = { dev: { description: "d", mcpServers: { ...mcpServers, ...added } } };
    const next = { ...config, toolboxes, policy } as unknown as WorkbenchConfig;
    const env = { PATH: process.env["PATH"] ?? "" };
    await workbench.apply(await resolveConfig(next, { env, cwd: "." }));
    before = read().length;
  };
  const received = (): string[] =>
    read()
      .slice(before)
      .split("\n")
      .filter((line) => line !== "" && !OWN_LISTS.test(line));
  return { request, deny, received };
}

const use = (server: string, name: string, more: Params = {}): Params => ({
  name: "use_tool",
  arguments: { tool: { toolbox: "dev", server, name } },
  ...more,
});
const open = { name: "open_toolbox", arguments: { toolbox: "dev" } };
const text = ({ result, error }: Message): string => JSON.stringify(result ?? error);

describe("the first policy of a connected client", () => {
  it.each(CELLS.filter(({ mode }) => mode === "proxy"))(
    "leaves no trace of a denied server: $era, $transport",
    async (cell) => {
      const { request, deny, received } = await start(cell);
      const opened = await request("tools/call", open);
      expect(text(opened)).toContain('servers_connected\\":2');
      await request("tools/call", use("gone", "begin", { task: { ttl: 60_000 } }));
      const begun = cell.era === "legacy" ? "gone-task-1" : "";
      expect(text(await request("tasks/list"))).toContain(begun);
      await deny();
      expect(text(await request("tools/call", open))).toContain('servers_connected\\":1');
      const methods: readonly [string, (server: string) => Params][] = [
        ["tools/call", (server) => use(server, "hello")],
        ["prompts/get", (server) => ({ name: `dev__${server}__greet` })],
        ["resources/read", (server) => ({ uri: `workbench://dev/${server}/memo://a` })],
        [
          "completion/complete",
          (server) => ({
            ref: { type: "ref/prompt", name: `dev__${server}__greet` },
            argument: { name: "a", value: "" },
          }),
        ],
        ["tasks/get", (server) => ({ taskId: `${server}-task-1` })],
      ];
      for (const [method, params] of methods) {
        const denied = text(await request(method, params("gone")));
        const absent = text(await request(method, params("gonf")));
        expect(denied.replaceAll("gone", "gonf"), method).toBe(absent);
      }
      for (const method of ["tasks/list", "prompts/list", "resources/list"])
        expect(text(await request(method)), method).not.toContain("gone");
      const search = { name: "search_tools", arguments: { query: "hello" } };
      expect(text(await request("tools/call", search))).not.toContain("gone");
      if (cell.era === "legacy") await request("logging/setLevel", { level: "debug" });
      expect(received()).toEqual([]);
    },
  );

  it("leaves the tools of other servers in an opened toolbox", async () => {
    const cell: Cell = { mode: "dynamic", era: "legacy", transport: "stdio" };
    const { request, deny } = await start(cell);
    expect(text(await request("tools/list"))).toMatch(/dev__kept__hello.*dev__gone__hello/);
    await deny();
    const listed = text(await request("tools/list"));
    expect(listed).toContain("dev__kept__hello");
    expect(listed).not.toContain("gone");
    const called = await request("tools/call", { name: "dev__kept__hello", arguments: {} });
    expect(text(called)).toContain("kept");
  });

  it("hides what is denied at once, not only when the servers added with it are connected", async () => {
    const cell: Cell = { mode: "dynamic", era: "legacy", transport: "stdio" };
    const { request, deny } = await start(cell);
    const rules = [
      { tools: ["gone/*", "kept/wait"], action: "deny" },
      { tools: ["*/*"], action: "allow" },
    ];
    // It reads what it is sent and never answers.
    const silent = { command: process.execPath, args: ["-e", "process.stdin.resume()"] };
    await deny({ rules }, { silent });
    const listed = text(await request("tools/list"));
    expect(listed).toContain("dev__kept__hello");
    expect(listed).not.toContain("dev__kept__wait");
    expect(listed).not.toContain("dev__gone");
  });
});
