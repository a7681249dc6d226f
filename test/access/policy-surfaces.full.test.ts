/**
 * What a policy denies is hidden, and cannot be called, in every mode and era and over every transport.
 * In the full suite because it starts a workbench for each of them; `src/access/policy` is in `npm test`.
 */
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createWorkbench } from "../../src/embed/create.ts";
import { newFolder } from "../support/new-folder.ts";
import { LocalClient } from "../../src/embed/local-client.ts";
import type { Message, Params } from "../support/clients/json-rpc.ts";
import { perTest } from "../support/disposables.ts";
import {
  CELLS,
  type Cell,
  ERAS,
  inProcessClient,
  inProcessWorkbench,
} from "../support/in-process-clients.ts";
import { everything, toolbox } from "../support/servers.ts";
import { startWorkbench } from "../support/workbench.ts";

const cleanup = perTest();
const RECORDING = new URL("../fixtures/recording-server.mjs", import.meta.url).pathname;

const CONFIG = (witness: string): object => {
  const recording = (file: string): object => ({
    command: process.execPath,
    args: [RECORDING, "readline"],
    env: { WITNESS: file },
  });
  return {
    policy: {
      rules: [
        { tools: ["rec/delete_*"], action: "deny", reason: "never" },
        {
          tools: ["rec/safe"],
          arguments: { repo: ["prod*"] },
          action: "deny",
          reason: "not in production",
        },
        { clients: ["nobody-at-all"], action: "deny" },
      ],
    },
    toolboxes: {
      dev: {
        description: "Tools",
        mcpServers: {
          rec: recording(witness),
          secret: { ...recording(`${witness}-secret`), policy: { default: "deny" } },
          all: {
            ...everything("legacy"),
            policy: { rules: [{ tools: ["*"], action: "allow" }, { action: "deny" }] },
          },
        },
      },
    },
  };
};

/** A call of a tool of the server `rec`, as a client of this mode makes it. */
function callOf(mode: Cell["mode"], name: string, args: Params, server = "rec"): Params {
  if (mode === "transparent") return { name, arguments: args };
  if (mode === "dynamic") return { name: `dev__${server}__${name}`, arguments: args };
  return {
    name: "use_tool",
    arguments: { tool: { toolbox: "dev", server, name }, arguments: args },
  };
}

const all = (message: Message): string => JSON.stringify(message);

function witness(): { readonly file: string; calls(): string[] } {
  const folder = newFolder("policy");
  cleanup.defer(async () => rmSync(folder, { recursive: true }));
  const file = join(folder, "witness");
  writeFileSync(file, "");
  const lines = (): string[] => readFileSync(file, "utf8").split("\n").filter(Boolean);
  return { file, calls: () => lines().filter((line) => line.includes("tools/call")) };
}

describe("a denied tool", () => {
  it.each(CELLS)("is hidden and cannot be called: $mode, $era, $transport", async (cell) => {
    const { mode } = cell;
    const seen = witness();
    const workbench = await inProcessWorkbench(cleanup, CONFIG(seen.file), mode);
    const request = await inProcessClient(cleanup, workbench, cell, {
      toolbox: "dev",
      server: "rec",
    });
    const texts: string[] = [];
    const note = async (method: string, params?: Params): Promise<Message> => {
      const message = await request(method, params);
      texts.push(all(message));
      return message;
    };
    await note("tools/list");
    const ran = await note("tools/call", callOf(mode, "safe", { repo: "site" }));
    expect(all(ran)).toContain("ran safe");
    const denied = await note("tools/call", callOf(mode, "safe", { repo: "prod-1" }));
    expect(denied).toMatchObject({
      result: {
        isError: true,
        content: [{ text: expect.stringContaining("The policy denies tool 'safe'") }],
      },
    });
    expect(all(denied)).toContain("not in production");
    // The same answer as for a tool that does not exist, except for the name.
    const hidden = await request("tools/call", callOf(mode, "delete_all", {}));
    const absent = await request("tools/call", callOf(mode, "delete_any", {}));
    const same = (message: Message): string =>
      all({ ...message, id: 0 }).replaceAll(/delete_a(?:ll|ny)/g, "TOOL");
    expect(same(hidden)).toBe(same(absent));
    expect(same(hidden)).toMatch(/not found|Unknown tool/);
    if (mode !== "transparent") {
      await note("tools/call", { name: "search_tools", arguments: { query: "delete all" } });
      await note("tools/call", { name: "open_toolbox", arguments: { toolbox: "dev" } });
      await note("tools/call", { name: "delete_al", arguments: {} });
    }
    if (mode === "proxy") {
      await note("tools/call", { name: "use_tool", arguments: { tool: "delete_al" } });
      await note("tools/call", callOf(mode, "delete_al", {}));
    }
    expect(texts.join("\n")).not.toContain("delete_all");
    expect(seen.calls()).toHaveLength(1);
    // A server that is denied as a whole is not even named, and never started.
    expect(texts.join("\n")).not.toContain("secret");
    expect(existsSync(`${seen.file}-secret`)).toBe(false);
  });

  it("is hidden from the command line and the library", async () => {
    const seen = witness();
    const workbench = await inProcessWorkbench(cleanup, CONFIG(seen.file));
    const local = new LocalClient(workbench);
    const { text } = await local.request("tools/call", {
      name: "open_toolbox",
      arguments: { toolbox: "dev" },
    });
    expect(text).toContain("safe");
    expect(text).not.toContain("delete_all");
    const tool = { toolbox: "dev", server: "rec", name: "delete_all" };
    await expect(local.callTool(tool, "{}")).rejects.toThrow("Tool 'delete_all' not found");
    local.close();
    const config = CONFIG(seen.file) as { toolboxes: object };
    const vault = {
      ...toolbox({}),
      policy: { default: "deny" },
      mcpServers: { x: { command: "x" } },
    };
    const whole = { ...config, toolboxes: { ...config.toolboxes, vault } };
    const { settings } = await inProcessWorkbench(cleanup, whole);
    const embedded = createWorkbench(settings);
    cleanup.defer(() => embedded.close());
    for (const name of ["vault", "none"])
      await expect(embedded.closeToolbox(name)).rejects.toMatchObject({
        message: `Toolbox '${name}' not found`,
        hint: "Available: dev",
      });
    await embedded.closeToolbox("dev");
    expect(seen.calls()).toEqual([]);
  });
});

describe("a server that is denied as a whole", () => {
  it.each(ERAS)("does not exist for its clients: %s", async (era) => {
    const seen = witness();
    const workbench = await inProcessWorkbench(cleanup, CONFIG(seen.file));
    const cell: Cell = { mode: "proxy", era, transport: "stdio" };
    const at = { toolbox: "dev", server: "rec" };
    const request = await inProcessClient(cleanup, workbench, cell, at);
    const answerFor = async (server: string): Promise<string> => {
      const { id: _id, ...answer } = await request(
        "tools/call",
        callOf("proxy", "safe", {}, server),
      );
      return all(answer);
    };
    expect(await answerFor("secret")).toContain("Server 'secret' not found in toolbox 'dev'");
    expect((await answerFor("secret")).replaceAll("secret", "nobody")).toBe(
      await answerFor("nobody"),
    );
    expect(existsSync(`${seen.file}-secret`)).toBe(false);
  });

  it("is not named in the answer that the program gives before it has loaded", async () => {
    const server = { all: everything("legacy") };
    const { hello } = await startWorkbench(cleanup, {
      toolboxes: {
        dev: toolbox(server),
        hidden: Object.assign(toolbox(server), { policy: { default: "deny" } }),
      },
    });
    expect(hello.instructions).toMatch(/Toolboxes: dev$/);
  });

  it("cannot be viewed alone", async () => {
    const seen = witness();
    const workbench = await inProcessWorkbench(cleanup, CONFIG(seen.file));
    const cell: Cell = { mode: "transparent", era: "modern", transport: "stdio" };
    const at = { toolbox: "dev", server: "secret" };
    const request = await inProcessClient(cleanup, workbench, cell, at);
    for (const method of ["server/discover", "tools/list", "prompts/list"])
      expect(all(await request(method))).toContain("Server 'secret' not found");
    expect(existsSync(`${seen.file}-secret`)).toBe(false);
  });
});

describe("a server whose prompts and resources are denied", () => {
  it.each(CELLS.filter(({ mode }) => mode !== "transparent"))(
    "lists and serves none of them: $mode, $era, $transport",
    async (cell) => {
      const workbench = await inProcessWorkbench(cleanup, CONFIG(witness().file), cell.mode);
      const request = await inProcessClient(cleanup, workbench, cell, {
        toolbox: "dev",
        server: "all",
      });
      const lists = {
        "prompts/list": "prompts",
        "resources/list": "resources",
        "resources/templates/list": "resourceTemplates",
      };
      for (const [method, list] of Object.entries(lists))
        expect((await request(method)).result).toMatchObject({ [list]: [] });
      expect(await request("prompts/get", { name: "dev__all__simple" })).toHaveProperty("error");
      const uri = "workbench://dev/all/x://y";
      for (const method of [
        "resources/read",
        ...(cell.era === "legacy" ? ["resources/subscribe"] : []),
      ])
        expect(await request(method, { uri })).toMatchObject({
          error: { message: expect.stringContaining("not found") },
        });
      const ref = { type: "ref/prompt", name: "dev__all__simple" };
      const argument = { name: "a", value: "b" };
      expect(await request("completion/complete", { ref, argument })).toHaveProperty("error");
    },
  );
});
