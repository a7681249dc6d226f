import { describe, expect, it } from "vitest";

import { canonicalEntry } from "./canonical.ts";

const read = (raw: unknown) => canonicalEntry(raw, { syntax: "input" });

describe("canonicalEntry", () => {
  it.each([
    [
      "the common shape",
      { type: "stdio", command: "npx", args: ["-y", "x"], env: { A: "1" }, cwd: "/w" },
      { command: "npx", args: ["-y", "x"], env: { A: "1" }, cwd: "/w" },
    ],
    [
      "a command list and environment",
      { type: "local", command: ["bun", "x", "y"], environment: { A: 1, B: null } },
      { command: "bun", args: ["x", "y"], env: { A: "1" } },
    ],
    [
      "cmd, envs and keys kept elsewhere",
      { cmd: "uvx", args: ["z"], envs: { A: "1" }, env_keys: ["TOKEN"] },
      { command: "uvx", args: ["z"], env: { TOKEN: "${TOKEN}", A: "1" } },
    ],
    [
      "a command with a path",
      { command: { path: "/bin/x", args: ["a"], env: {} } },
      { command: "/bin/x", args: ["a"] },
    ],
    ["a url alone", { url: "https://a/mcp" }, { url: "https://a/mcp" }],
    [
      "a sign-in in the form of another client",
      { url: "https://a/mcp", auth: { CLIENT_ID: "x", CLIENT_SECRET: "y", scope: "a b" } },
      { url: "https://a/mcp", oauth: { clientId: "x", clientSecret: "y", scopes: ["a", "b"] } },
    ],
    [
      "an automatic sign-in",
      { url: "https://a/mcp", oauth: { enabled: true } },
      { url: "https://a/mcp" },
    ],
    [
      "a sign-in that is turned off",
      { url: "https://a/mcp", oauth: false },
      { url: "https://a/mcp", oauth: false },
    ],
    ["serverUrl", { serverUrl: "https://a/mcp" }, { url: "https://a/mcp" }],
    ["httpUrl", { httpUrl: "https://a/mcp" }, { type: "http", url: "https://a/mcp" }],
    [
      "uri and streamable_http",
      { type: "streamable_http", uri: "https://a/mcp", headers: { H: "${env:X}" } },
      { type: "http", url: "https://a/mcp", headers: { H: "${X}" } },
    ],
    ["streamableHttp", { type: "streamableHttp", url: "u" }, { type: "http", url: "u" }],
    ["sse", { transport: "sse", url: "u" }, { type: "sse", url: "u" }],
    ["remote", { type: "remote", url: "u" }, { url: "u" }],
    [
      "a program under transport",
      { transport: { type: "stdio", command: "npx", args: ["x"], env: { A: "1" } }, timeout: 5 },
      { command: "npx", args: ["x"], env: { A: "1" } },
    ],
    [
      "a URL under transport",
      { transport: { type: "streamableHttp", url: "u", headers: { H: "v" } } },
      { type: "http", url: "u", headers: { H: "v" } },
    ],
    [
      "headers under requestOptions",
      { type: "streamable-http", url: "u", requestOptions: { headers: { H: "v" } } },
      { type: "http", url: "u", headers: { H: "v" } },
    ],
    [
      "headers from variables",
      {
        url: "u",
        bearer_token_env_var: "TOKEN",
        http_headers: { A: "b" },
        env_http_headers: { K: "KEY" },
      },
      { url: "u", headers: { A: "b", Authorization: "Bearer ${TOKEN}", K: "${KEY}" } },
    ],
    [
      "tools that are wanted and not wanted",
      { url: "u", enabled_tools: ["a"], disabled_tools: ["b"] },
      { url: "u", toolFilters: ["a", "!b"] },
    ],
    ["all tools", { url: "u", tools: ["*"] }, { url: "u" }],
  ])("reads %s", (_what, raw, entry) => {
    expect(read(raw)).toEqual({ entry, disabled: false, notes: [], problems: [] });
  });

  it("leaves out a sign-in that the configuration would refuse, and says so", () => {
    const { entry, notes, problems } = read({ url: "https://a/mcp", oauth: { clientId: 7 } });
    expect(entry).toEqual({ url: "https://a/mcp" });
    expect(notes.join()).toContain("its sign-in settings (oauth) cannot be used");
    expect(problems).toEqual([]);
  });

  it("recognises disabled servers", () => {
    expect(read({ url: "u", disabled: true }).disabled).toBe(true);
    expect(read({ url: "u", enabled: false }).disabled).toBe(true);
  });

  it.each([
    ["an entry that is not an object", "npx x", "it is not an object"],
    ["an entry without command and URL", { env: {} }, "it has neither a command nor a url"],
    ["an envFile without a known folder", { command: "x", envFile: ".env" }, "its full path"],
  ])("reports the problem with %s", (_what, raw, problem) => {
    expect(read(raw).problems).toEqual([expect.stringContaining(problem)]);
  });

  it.each([
    [".env", "/projects/app/.env"],
    ["${workspaceFolder}/.env", "/projects/app/.env"],
    ["/etc/x.env", "/etc/x.env"],
    ["~/x.env", "~/x.env"],
    ["${env:WHERE}/x.env", "${WHERE}/x.env"],
  ])("finds the envFile %s of a project at %s", (envFile, expected) => {
    const context = { syntax: "input", project: "/projects/app" } as const;
    const { entry, problems } = canonicalEntry({ command: "x", envFile }, context);
    expect(entry).toEqual({ command: "x", envFile: expected });
    expect(problems).toEqual([]);
  });

  it.each([
    [
      "a path of the project",
      { args: ["./server.js"] },
      { args: ["./server.js"], cwd: "/projects/app" },
    ],
    ["a folder of the project", { cwd: "sub" }, { cwd: "/projects/app/sub" }],
    ["a folder elsewhere", { cwd: "~/x", args: ["./y"] }, { args: ["./y"], cwd: "~/x" }],
    ["neither", { args: ["/server.js"] }, { args: ["/server.js"] }],
  ])("knows where to start a program of a project with %s", (_what, raw, expected) => {
    const context = { syntax: "none", project: "/projects/app" } as const;
    const { entry } = canonicalEntry({ command: "x", ...raw }, context);
    expect(entry).toEqual({ command: "x", ...expected });
  });
});
