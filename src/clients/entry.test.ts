import { describe, expect, it } from "vitest";

import { type View, entryFor, launchOf, runsWorkbench, starterFor } from "./entry.ts";
import { canonicalEntry } from "./canonical.ts";
import { CLIENTS, requireClient } from "./table.ts";

const rowOf = requireClient;

describe("launchOf", () => {
  it("starts the workbench by path, by npx or by name", () => {
    const config = "/home/ada/workbench-config.json";
    const served = { config, shared: true };
    expect(launchOf({ kind: "path", node: "/n/node", script: "/p/bin.cjs" }, served)).toEqual({
      command: "/n/node",
      args: ["/p/bin.cjs", "serve", "--config", config, "--shared"],
    });
    const alone = { config, shared: false };
    expect(launchOf({ kind: "npx", version: "1.2.3" }, alone, "linux")).toEqual({
      command: "npx",
      args: ["-y", "mcp-workbench@1.2.3", "serve", "--config", config],
    });
    expect(launchOf({ kind: "global" }, served, "darwin")).toMatchObject({
      command: "mcp-workbench",
    });
  });

  it("limits what the client sees to toolboxes or a server", () => {
    const argsFor = (view: View): unknown => {
      const launch = launchOf(
        { kind: "global" },
        { config: "/c.json", view, shared: false },
        "linux",
      );
      return "args" in launch && launch.args.slice(3);
    };
    expect(argsFor({ toolboxes: ["dev", "docs"] })).toEqual([
      "--toolbox",
      "dev",
      "--toolbox",
      "docs",
    ]);
    expect(argsFor({ server: "dev/files" })).toEqual(["--server", "dev/files"]);
  });

  it("uses cmd to start batch files on Windows", () => {
    expect(launchOf({ kind: "npx" }, { config: "C:\\c.json", shared: false }, "win32")).toEqual({
      command: "cmd",
      args: ["/c", "npx", "-y", "mcp-workbench", "serve", "--config", "C:\\c.json"],
    });
  });

  it("does not use a copy in the npx cache", () => {
    expect(
      starterFor("/n/node", "/home/ada/.npm/_npx/1f/node_modules/mcp-workbench/dist/bin.cjs"),
    ).toEqual({ kind: "npx" });
    expect(starterFor("/n/node", "/usr/lib/node_modules/mcp-workbench/dist/bin.cjs").kind).toBe(
      "path",
    );
  });
});

describe("entryFor", () => {
  const launch = { command: "mcp-workbench", args: ["serve"] };

  it("keeps the workbench's tools loaded in clients that defer tools", () => {
    expect(entryFor(rowOf("claude-code"), launch, "workbench")).toEqual({
      type: "stdio",
      command: "mcp-workbench",
      args: ["serve"],
      alwaysLoad: true,
    });
    expect(entryFor(rowOf("copilot-cli"), launch, "workbench")).toEqual({
      type: "stdio",
      command: "mcp-workbench",
      args: ["serve"],
      tools: ["*"],
      deferTools: "never",
    });
  });

  it("leaves it to the client whether the tools of one server are loaded", () => {
    for (const id of ["claude-code", "copilot-cli"]) {
      const args = ["serve", "--shared", "--server", "dev/github"];
      const one = entryFor(rowOf(id), { ...launch, args }, "github");
      const url = "http://127.0.0.1:1/mcp/dev/github";
      for (const entry of [one, entryFor(rowOf(id), { url }, "github")]) {
        expect(entry).not.toHaveProperty("alwaysLoad");
        expect(entry).not.toHaveProperty("deferTools");
      }
      const toolbox = entryFor(rowOf(id), { url: "http://127.0.0.1:1/mcp/dev" }, "workbench");
      expect(toolbox).toMatchObject(rowOf(id).keepLoaded?.fields ?? {});
    }
  });

  it("writes the entry in the client's own format", () => {
    expect(entryFor(rowOf("opencode"), launch, "workbench")).toEqual({
      type: "local",
      command: ["mcp-workbench", "serve"],
      enabled: true,
    });
    expect(entryFor(rowOf("goose"), launch, "workbench")).toEqual({
      type: "stdio",
      cmd: "mcp-workbench",
      args: ["serve"],
      enabled: true,
      timeout: 300,
      name: "workbench",
    });
    expect(entryFor(rowOf("windsurf"), { url: "http://127.0.0.1:1/mcp" }, "workbench")).toEqual({
      serverUrl: "http://127.0.0.1:1/mcp",
    });
  });

  it.each([
    [
      "claude-code",
      {
        type: "http",
        url: "http://x/mcp",
        headers: { Authorization: "Bearer ${T}" },
        alwaysLoad: true,
      },
    ],
    ["cursor", { url: "http://x/mcp", headers: { Authorization: "Bearer ${env:T}" } }],
    [
      "copilot-cli",
      {
        type: "http",
        url: "http://x/mcp",
        headers: { Authorization: "Bearer ${T}" },
        env: { T: "${T}" },
        tools: ["*"],
        deferTools: "never",
      },
    ],
    ["codex", { url: "http://x/mcp", bearer_token_env_var: "T" }],
    ["qwen-code", { httpUrl: "http://x/mcp", headers: { Authorization: "Bearer ${T}" } }],
    [
      "opencode",
      {
        type: "remote",
        url: "http://x/mcp",
        oauth: false,
        headers: { Authorization: "Bearer {env:T}" },
        enabled: true,
      },
    ],
    [
      "goose",
      {
        type: "streamable_http",
        uri: "http://x/mcp",
        headers: { Authorization: "Bearer ${T}" },
        env_keys: ["T"],
        enabled: true,
        timeout: 300,
        name: "workbench",
      },
    ],
    [
      "continue",
      {
        type: "streamable-http",
        url: "http://x/mcp",
        requestOptions: { headers: { Authorization: "Bearer ${{ secrets.T }}" } },
        name: "workbench",
      },
    ],
  ])("refers to the variable with the token as %s does", (id, expected) => {
    const launch = { url: "http://x/mcp", tokenVariable: "T" };
    expect(entryFor(rowOf(id), launch, "workbench")).toEqual(expected);
  });

  it("rejects a URL for a client that can only start programs, or would need the token itself", () => {
    const url = "https://x/mcp";
    expect(() => entryFor(rowOf("claude-desktop"), { url }, "w")).toThrow(
      "Claude Desktop can only start programs",
    );
    expect(entryFor(rowOf("zed"), { url }, "w")).toEqual({ url, source: "custom" });
    expect(() => entryFor(rowOf("zed"), { url, tokenVariable: "T" }, "w")).toThrow(
      "Zed cannot read a token from a variable",
    );
  });

  it.each(CLIENTS.map((row) => [row.id, row] as const))(
    "writes an entry for %s that is recognised again",
    (_id, row) => {
      const starters = [
        { kind: "global" },
        { kind: "npx" },
        { kind: "path", node: "/usr/bin/node", script: "/src/checkout/dist/bin.cjs" },
      ] as const;
      for (const starter of starters) {
        for (const platform of ["linux", "win32"] as const) {
          const ours = entryFor(
            row,
            launchOf(starter, { config: "/c/workbench.json", shared: true }, platform),
            "workbench",
          );
          const { entry } = canonicalEntry(ours, { syntax: row.variables });
          expect(entry && runsWorkbench(entry)).toBe(true);
        }
      }
    },
  );
});

describe("runsWorkbench", () => {
  it.each([
    ["npx -y mcp-workbench@latest serve"],
    ["npx --package=mcp-workbench mcp-workbench"],
    ["npx -p mcp-workbench x"],
    ["bunx mcp-workbench"],
    ["deno run -A npm:mcp-workbench"],
    ["pnpm dlx mcp-workbench serve"],
    ["env DEBUG=1 npx mcp-workbench"],
    ["cmd /c mcp-workbench.cmd serve"],
    ["C:\\Users\\ada\\AppData\\Roaming\\npm\\mcp-workbench.cmd"],
    ["node C:\\npm\\node_modules\\mcp-workbench\\dist\\bin.cjs"],
    ["/opt/homebrew/bin/mcp-workbench"],
  ])("recognises %s", (line) => {
    const [command = "", ...args] = line.split(" ");
    expect(runsWorkbench({ command, args })).toBe(true);
  });

  it("recognises a command in a shell, if it is the only one", () => {
    expect(runsWorkbench({ command: "sh", args: ["-c", "cd / && true; npx mcp-workbench"] })).toBe(
      false,
    );
    expect(runsWorkbench({ command: "sh", args: ["-lc", "npx -y mcp-workbench serve"] })).toBe(
      true,
    );
  });

  it.each([
    ["npx -y @modelcontextprotocol/server-filesystem /home/ada/mcp-workbench"],
    ["node /srv/other/dist/bin.cjs serve"],
    ["npx @somebody/mcp-workbench"],
    ["npx mcp-workbench-inspector"],
    ["git-mcp --repository /src/mcp-workbench"],
  ])("does not recognise %s", (line) => {
    const [command = "", ...args] = line.split(" ");
    expect(runsWorkbench({ command, args })).toBe(false);
  });

  it("ignores remote servers", () => {
    expect(runsWorkbench({ url: "https://mcp-workbench.example/mcp" })).toBe(false);
  });
});
