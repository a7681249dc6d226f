import { execFileSync } from "node:child_process";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import * as fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { newFolder } from "../../test/support/new-folder.ts";
import { damagedConfig, validConfig } from "../../test/support/config-arbitraries.ts";
import {
  loadConfig,
  parseConfig,
  parseConfigFast,
  resolveConfig,
  type ParseOptions,
} from "./load.ts";
import type { WorkbenchConfig } from "./schema.ts";
import type { ServerSettings, WorkbenchSettings } from "./types.ts";

const options: ParseOptions = {
  file: "/etc/wb/workbench-config.json",
  env: { HOME: "/home/u", GITHUB_TOKEN: "ghp_0123456789" },
};

/** A configuration with one toolbox that has these servers. */
const withServers = (mcpServers: unknown): string =>
  JSON.stringify({ toolboxes: { dev: { description: "d", mcpServers } } });

const serverOf = (settings: WorkbenchSettings, name: string): ServerSettings => {
  const server = settings.toolboxes.get("dev")?.servers.get(name);
  if (server === undefined) throw new Error(`No server ${name}`);
  return server;
};

const EXAMPLE = `{
  "$schema": "./node_modules/mcp-workbench/schema/config.schema.json",
  "toolMode": "proxy",
  "toolboxes": {
    "dev": {
      "description": "Local development: files and notes",
      "mcpServers": {
        "filesystem": { "command": "npx", "args": ["-y", "@modelcontextprotocol/server-filesystem", "\${HOME}/src"],
                        "env": { "LOG_LEVEL": "\${LOG_LEVEL:-info}" }, "toolFilters": ["*"] },
        "github": { "url": "https://example.com/mcp", "headers": { "Authorization": "Bearer \${GITHUB_TOKEN}" } }
      }
    }
  }
}`;

describe("parseConfig", () => {
  it("turns a configuration file into settings", async () => {
    const settings = await parseConfig(EXAMPLE, options);
    expect(settings).toMatchObject({
      file: "/etc/wb/workbench-config.json",
      toolMode: "proxy",
      readTool: "auto",
      approvals: { waitMs: 45_000 },
      http: { sessions: 1000, sessionIdleMs: 1_800_000, bodyBytes: 8_388_608 },
      log: { level: "warn", format: "text", file: undefined },
      discovery: "lazy",
      openBudgetTokens: 20_000,
      rateLimits: [],
      secrets: ["ghp_0123456789"],
      warnings: [],
    });
    expect([...settings.toolboxes.keys()]).toEqual(["dev"]);
    expect(serverOf(settings, "filesystem")).toEqual({
      toolbox: "dev",
      name: "filesystem",
      transport: {
        kind: "stdio",
        command: "npx",
        args: ["-y", "@modelcontextprotocol/server-filesystem", "/home/u/src"],
        env: { LOG_LEVEL: "info" },
        cwd: undefined,
      },
      secretTexts: [],
      toolFilters: ["*"],
      overrides: {},
      annotations: "ignore",
      timeouts: {
        connectMs: 30_000,
        callMs: 120_000,
        totalMs: 600_000,
        idleMs: 600_000,
        shutdownMs: 2_000,
      },
      limits: { messageBytes: 16_777_216, concurrency: 64, queue: 256, tools: 10_000, pages: 100 },
      protocol: "auto",
      isolation: "shared",
      questions: "duringCalls",
      inheritEnv: [],
      disabled: false,
      unavailable: undefined,
    });
    expect(serverOf(settings, "github").transport).toEqual({
      kind: "auto",
      url: "https://example.com/mcp",
      headers: { Authorization: "Bearer ghp_0123456789" },
    });
  });

  it("uses the fast path for plain JSON, and gives the same result with comments", async () => {
    const fast = parseConfigFast(EXAMPLE, options);
    expect(fast).toBeDefined();
    const commented = EXAMPLE.replace('"toolMode"', '/* how */ "toolMode"').replace(/\}$/, ",}");
    expect(parseConfigFast(commented, options)).toBeUndefined();
    expect(await parseConfig(commented, options)).toEqual(fast);
  });

  it("accepts a byte order mark", async () => {
    const settings = await parseConfig(`\ufeff${EXAMPLE}`, options);
    expect(settings).toEqual(parseConfigFast(EXAMPLE, options));
  });

  it("lets a server override top-level settings key by key", async () => {
    const text = JSON.stringify({
      timeouts: { callMs: 1, idleMs: 2 },
      limits: { queue: 3 },
      protocol: "2025-11-25",
      isolation: "session",
      inheritEnv: ["LANG"],
      toolboxes: {
        dev: {
          description: "d",
          mcpServers: {
            plain: { command: "x" },
            own: {
              command: "x",
              timeouts: { callMs: 9 },
              limits: { concurrency: 8 },
              protocol: "2026-07-28",
              isolation: "shared",
              inheritEnv: [],
            },
          },
        },
      },
    });
    const settings = await parseConfig(text, options);
    expect(serverOf(settings, "plain")).toMatchObject({
      timeouts: { callMs: 1, idleMs: 2, totalMs: 600_000 },
      limits: { queue: 3, concurrency: 64 },
      protocol: "2025-11-25",
      isolation: "session",
      inheritEnv: ["LANG"],
    });
    expect(serverOf(settings, "own")).toMatchObject({
      timeouts: { callMs: 9, idleMs: 2, totalMs: 600_000 },
      limits: { queue: 3, concurrency: 8 },
      protocol: "2026-07-28",
      isolation: "shared",
      inheritEnv: [],
    });
  });

  it.each([
    ["npx", "npx"],
    ["./server.js", "/etc/wb/server.js"],
    ["../bin/x", "/etc/bin/x"],
    ["node_modules/.bin/x", "/etc/wb/node_modules/.bin/x"],
    ["~/bin/x", "/home/u/bin/x"],
    ["/usr/bin/x", "/usr/bin/x"],
  ])("resolves the command %s to %s", async (command, expected) => {
    const settings = await parseConfig(withServers({ s: { command } }), options);
    expect(serverOf(settings, "s").transport).toMatchObject({ command: expected });
  });

  it.each([
    [".", "/etc/wb"],
    ["data", "/etc/wb/data"],
    ["~/data", "/home/u/data"],
    ["/srv", "/srv"],
  ])("resolves the working folder %s to %s", async (cwd, expected) => {
    const settings = await parseConfig(withServers({ s: { command: "x", cwd } }), options);
    expect(serverOf(settings, "s").transport).toMatchObject({ cwd: expected });
  });

  it("removes a line break at the end of a token", async () => {
    const text = withServers({
      s: { url: "https://x", headers: { Authorization: "Bearer ${T}" } },
    });
    const settings = await parseConfig(text, { ...options, env: { T: "abcdef\n" } });
    expect(serverOf(settings, "s").transport).toMatchObject({
      headers: { Authorization: "Bearer abcdef" },
    });
    expect(settings.secrets).toEqual(["abcdef"]);
  });

  it("warns if there are no toolboxes or servers", async () => {
    const none = await parseConfig('{"toolboxes": {}}', options);
    expect(none.warnings).toEqual(["toolboxes: there are none, so there are no tools to serve"]);
    const empty = await parseConfig(withServers({}), options);
    expect(empty.warnings).toEqual(["Toolbox 'dev' has no servers"]);
  });

  it("gives the same result on the fast and the thorough path for every valid configuration", async () => {
    await fc.assert(
      fc.asyncProperty(validConfig, async (config) => {
        const text = JSON.stringify(config);
        const fast = parseConfigFast(text, options);
        expect(fast === undefined).toBe(/"(oauth|tls|cluster)":\{|"secretCommands":\{"/.test(text));
        const thorough = await parseConfig(`// comment\n${text}`, options);
        expect(fast ?? (await parseConfig(text, options))).toEqual(thorough);
      }),
      { numRuns: 100 },
    );
  });

  it("reports any damage as an invalid configuration, without repeating values", async () => {
    const canary = "hunter2-canary";
    const texts = (value: unknown): unknown => {
      if (typeof value === "string") return canary;
      if (Array.isArray(value)) return value.map(texts);
      if (typeof value !== "object" || value === null) return value;
      return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, texts(item)]));
    };
    await fc.assert(
      fc.asyncProperty(damagedConfig, fc.boolean(), async (config, hide) => {
        const text = JSON.stringify(hide ? texts(config) : config);
        const error: unknown = await parseConfig(text, options).catch((reason: unknown) => reason);
        fc.pre(error instanceof Error);
        expect(error).toMatchObject({ code: "CONFIG_INVALID" });
        expect(error.message).toMatch(/\n {2}\d+:\d+ {2}\S/);
        expect(error.message).not.toContain(canary);
      }),
      { numRuns: 150 },
    );
  });

  it("rejects any text that is not a configuration with an error", async () => {
    const piece = fc.constantFrom(
      "{",
      "}",
      "[",
      "]",
      ",",
      ":",
      '"',
      "\\",
      "a",
      "1",
      "//",
      "/*",
      "\n",
      '"toolboxes"',
    );
    const anyText = fc.oneof(
      fc.string(),
      fc.array(piece).map((pieces) => pieces.join("")),
    );
    await fc.assert(
      fc.asyncProperty(anyText, async (text) => {
        await expect(parseConfig(text, options)).rejects.toMatchObject({ code: "CONFIG_INVALID" });
      }),
      { numRuns: 500 },
    );
  });
});

describe("parseConfig, when variables are not set,", () => {
  const text = `{
  "toolboxes": {
    "dev": {
      "description": "d",
      "mcpServers": {
        "github": {
          "serverUrl": "https://example.com/mcp",
          "headers": { "Authorization": "Bearer \${NO_TOKEN}" }
        },
        "two": { "command": "\${NO_CMD}", "env": { "A": "\${NO_A}" } },
        "off": { "command": "\${NO_CMD}", "disabled": true },
        "remote": { "serverUrl": "\${NO_URL}/mcp" },
        "fine": { "command": "x" }
      }
    }
  }
}`;

  it("makes only the servers unavailable that need them, and says where", async () => {
    const settings = await parseConfig(text, options);
    const reasons = [...(settings.toolboxes.get("dev")?.servers.values() ?? [])].map(
      ({ name, unavailable }) => [name, unavailable],
    );
    expect(Object.fromEntries(reasons)).toEqual({
      github:
        "environment variable NO_TOKEN is not set (toolboxes.dev.mcpServers.github.headers.Authorization, line 8:41). " +
        "Set it in the environment of the workbench or with 'mcp-workbench secret set NO_TOKEN'",
      two:
        "environment variables are not set: NO_CMD (toolboxes.dev.mcpServers.two.command, line 10:29), " +
        "NO_A (toolboxes.dev.mcpServers.two.env.A, line 10:56). Set them in the environment of the workbench, or write ${NO_CMD:-default}, ${NO_A:-default}",
      off: undefined,
      remote:
        "environment variable NO_URL is not set (toolboxes.dev.mcpServers.remote.serverUrl, line 12:34). " +
        "Set it in the environment of the workbench, or write ${NO_URL:-default}",
      fine: undefined,
    });
    expect(settings.warnings).toHaveLength(3);
    expect(settings.warnings[0]).toMatch(
      /^Server 'github' in toolbox 'dev' is not available: environment variable NO_TOKEN is not set/,
    );
  });

  it("stays on the fast path if only a disabled server needs them", () => {
    const disabled = withServers({ off: { command: "${NOPE}", enabled: false } });
    expect(parseConfigFast(disabled, options)?.warnings).toEqual([]);
  });

  it("rejects the configuration if they are needed elsewhere, naming all of them", async () => {
    const broken = `{ "log": { "file": "\${NO_FILE}" },\n "toolboxes": { "dev": { "description": "\${NO_TEXT}", "mcpServers": {} } } }`;
    await expect(parseConfig(broken, options)).rejects.toThrow(
      "Invalid configuration /etc/wb/workbench-config.json\n" +
        "  1:20  log.file: environment variable NO_FILE is not set. Set it in the environment of the workbench, or write ${NO_FILE:-default}\n" +
        "  2:41  toolboxes.dev.description: environment variable NO_TEXT is not set. Set it in the environment of the workbench, or write ${NO_TEXT:-default}",
    );
  });
});

describe("loadConfig", () => {
  let root: string;
  beforeEach(() => {
    root = newFolder("workbench-load");
  });
  afterEach(() => {
    rmSync(root, { recursive: true });
  });

  it("reads the file it finds", async () => {
    const file = join(root, "workbench-config.json");
    writeFileSync(file, withServers({ s: { command: "./x" } }));
    const settings = await loadConfig({ cwd: root, env: { WORKBENCH_CONFIG: file } });
    expect(settings.file).toBe(file);
    expect(serverOf(settings, "s").transport).toMatchObject({ command: join(root, "x") });
  });

  it("reads UTF-16, which Windows programs write", async () => {
    const file = join(root, "c.json");
    writeFileSync(file, Buffer.from(`\ufeff${withServers({ s: { command: "é" } })}`, "utf16le"));
    const settings = await loadConfig({ file, env: {} });
    expect(serverOf(settings, "s").transport).toMatchObject({ command: "é" });
  });

  it("explains why a file cannot be read", async () => {
    await expect(loadConfig({ file: root, env: {} })).rejects.toMatchObject({
      code: "CONFIG_INVALID",
      exitCode: 3,
      message: expect.stringMatching(/cannot read the file: it is a folder/) as unknown,
    });
  });

  // There are no named pipes in the file system of Windows.
  it.skipIf(process.platform === "win32")(
    "rejects pipes and devices, which may never end",
    async () => {
      const file = join(root, "pipe");
      execFileSync("mkfifo", [file]);
      const message = expect.stringMatching(/it is a pipe, not a regular file/) as unknown;
      await expect(loadConfig({ file, env: {} })).rejects.toMatchObject({ message });
      await expect(loadConfig({ file: "/dev/zero", env: {} })).rejects.toThrow("it is a device");
    },
  );
});

describe("resolveConfig", () => {
  const config: WorkbenchConfig = {
    toolboxes: { dev: { description: "d", mcpServers: { s: { command: "./x", args: ["${A}"] } } } },
  };

  it("treats an object like a file in the current folder", async () => {
    const settings = await resolveConfig(config, { env: { A: "a" }, cwd: "/srv" });
    expect(settings.file).toBeUndefined();
    expect(serverOf(settings, "s").transport).toMatchObject({ command: "/srv/x", args: ["a"] });
    expect(config.toolboxes["dev"]?.mcpServers["s"]).toEqual({ command: "./x", args: ["${A}"] });
  });

  it("reports problems by their path only", async () => {
    const settings = await resolveConfig(config, { env: {}, cwd: "/srv" });
    expect(serverOf(settings, "s").unavailable).toBe(
      "environment variable A is not set (toolboxes.dev.mcpServers.s.args[0]). Set it in the environment of the workbench, or write ${A:-default}",
    );
    const wrong = { toolboxes: {}, toolmode: "proxy" } as WorkbenchConfig;
    await expect(resolveConfig(wrong)).rejects.toThrow(
      'Invalid configuration (given as object)\n  toolmode: unknown key. Did you mean "toolMode"?',
    );
  });

  it.each([
    ["undefined", undefined, "expected an object, got null"],
    ["a list", [], "expected an object, got a list"],
    ["a big integer", { toolboxes: 1n }, "a value that JSON cannot represent"],
  ])("rejects %s", async (_, wrong, reason) => {
    await expect(resolveConfig(wrong as unknown as WorkbenchConfig)).rejects.toThrow(reason);
  });

  it("rejects a cycle", async () => {
    const cycle: Record<string, unknown> = {};
    cycle["toolboxes"] = cycle;
    await expect(resolveConfig(cycle as unknown as WorkbenchConfig)).rejects.toThrow(
      "contains a cycle",
    );
  });
});
