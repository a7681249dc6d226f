import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { validConfig } from "../../../test/support/config-arbitraries.ts";
import * as signIns from "./foreign-sign-in.ts";
import { normalise } from "./normalise.ts";

const PATH = ["toolboxes", "t", "mcpServers", "s"];

/** Normalises one server entry and returns the origins of its keys. */
function server(entry: unknown): {
  entry: unknown;
  origin: (...path: (string | number)[]) => unknown;
} {
  const { value, originOf } = normalise(
    { toolboxes: { t: { mcpServers: { s: entry } } } },
    signIns,
  );
  const config = value as { toolboxes: { t: { mcpServers: { s: unknown } } } };
  return {
    entry: config.toolboxes.t.mcpServers.s,
    origin: (...path) => originOf([...PATH, ...path]).slice(PATH.length),
  };
}

describe("normalise, for sign-ins of other clients,", () => {
  it.each([
    // Claude Code
    [
      { url: "https://x", oauth: { clientId: "a", callbackPort: 8080 } },
      { url: "https://x", oauth: { clientId: "a", redirectUri: "http://localhost:8080/callback" } },
    ],
    // Cursor
    [
      { url: "https://x", auth: { CLIENT_ID: "a", CLIENT_SECRET: "b", scopes: ["c"] } },
      { url: "https://x", oauth: { clientId: "a", clientSecret: "b", scopes: ["c"] } },
    ],
    // Gemini CLI
    [
      { url: "https://x", oauth: { enabled: true, clientId: "a", authorizationUrl: "https://y" } },
      { url: "https://x", oauth: { clientId: "a" } },
    ],
    [
      { url: "https://x", oauth: { enabled: false, clientId: "a" } },
      { url: "https://x", oauth: false },
    ],
    // OpenCode
    [
      { url: "https://x", oauth: { clientId: "a", scope: "b c" } },
      { url: "https://x", oauth: { clientId: "a", scopes: ["b", "c"] } },
    ],
    [
      { url: "https://x", oauth: false },
      { url: "https://x", oauth: false },
    ],
    // mcpproxy, LibreChat
    [
      { url: "https://x", oauth: { client_id: "a", redirect_uri: "https://y", extra_params: {} } },
      {
        url: "https://x",
        oauth: { clientId: "a", redirectUri: "https://y", authorizationParams: {} },
      },
    ],
    // Automatic, which is the default
    [{ url: "https://x", auth: "oauth" }, { url: "https://x" }],
    [{ url: "https://x", oauth: true }, { url: "https://x" }],
  ])("translates %j", (entry, expected) => {
    expect(server(entry).entry).toEqual(expected);
  });

  it("knows where each key comes from", () => {
    const { origin } = server({ url: "https://x", auth: { CLIENT_ID: 1, scopes: ["c"] } });
    expect(origin("oauth", "clientId")).toEqual(["auth", "CLIENT_ID"]);
    expect(origin("oauth", "scopes", 0)).toEqual(["auth", "scopes", 0]);
  });

  it("leaves contradictions to the schema", () => {
    const oauth = { clientId: "a", client_id: "b" };
    expect(server({ url: "https://x", oauth }).entry).toEqual({ url: "https://x", oauth });
    const both = { url: "https://x", oauth: { clientId: "a" }, auth: { CLIENT_ID: "b" } };
    expect(server(both).entry).toEqual(both);
  });
});

describe("normalise, for entries of other clients,", () => {
  it.each([
    // Claude Desktop, Cursor
    [
      { command: "npx", args: ["-y", "x"] },
      { command: "npx", args: ["-y", "x"] },
    ],
    // Cline
    [
      { transport: { type: "stdio", command: "npx", args: ["x"] }, disabled: false },
      { type: "stdio", command: "npx", args: ["x"], disabled: false },
    ],
    [
      { transport: { type: "streamableHttp", url: "https://x" } },
      { type: "http", url: "https://x" },
    ],
    // Claude Code, VS Code
    [
      { type: "stdio", command: "x" },
      { type: "stdio", command: "x" },
    ],
    [
      { type: "http", url: "https://x" },
      { type: "http", url: "https://x" },
    ],
    [
      { type: "sse", url: "https://x" },
      { type: "sse", url: "https://x" },
    ],
    // Windsurf, Antigravity
    [
      { serverUrl: "https://x", headers: { A: "b" } },
      { url: "https://x", headers: { A: "b" } },
    ],
    // Gemini CLI
    [
      { httpUrl: "https://x", timeout: 5000, trust: true },
      { url: "https://x", type: "http", timeouts: { callMs: 5000 } },
    ],
    [
      { command: "x", includeTools: ["a"] },
      { command: "x", toolFilters: ["a"] },
    ],
    [
      { command: "x", excludeTools: ["a", "b"] },
      { command: "x", toolFilters: ["*", "!a", "!b"] },
    ],
    [
      { excludeTools: ["b"], includeTools: ["a*"], command: "x" },
      { command: "x", toolFilters: ["a*", "!b"] },
    ],
    // OpenCode
    [
      { type: "local", command: ["npx", "-y", "x"], environment: { A: "1" }, enabled: true },
      { type: "stdio", command: "npx", args: ["-y", "x"], env: { A: "1" }, disabled: false },
    ],
    [
      { type: "remote", url: "https://x", enabled: false },
      { url: "https://x", disabled: true },
    ],
    // Cline, Roo Code, Kiro
    [
      { type: "streamableHttp", url: "https://x", timeout: 60, autoApprove: ["a"] },
      { type: "http", url: "https://x", timeouts: { callMs: 60_000 } },
    ],
    [
      { type: "streamable-http", url: "https://x" },
      { type: "http", url: "https://x" },
    ],
    [
      { command: "x", alwaysAllow: [], disabled: true },
      { command: "x", disabled: true },
    ],
    // Goose
    [
      { type: "streamable_http", uri: "https://x", name: "n", bundled: null, description: "d" },
      { type: "http", url: "https://x" },
    ],
    [
      { cmd: "uvx", args: ["x"], envs: { A: "1" } },
      { command: "uvx", args: ["x"], env: { A: "1" } },
    ],
    // Copilot
    [
      { command: "x", tools: ["*"] },
      { command: "x", toolFilters: ["*"] },
    ],
    [{ command: "x", tools: { read: { approve: true } } }, { command: "x" }],
    // Codex
    [
      { command: "x", startup_timeout_sec: 20, tool_timeout_sec: 1.5, disabled_tools: ["rm"] },
      { command: "x", timeouts: { connectMs: 20_000, callMs: 1500 }, toolFilters: ["*", "!rm"] },
    ],
    [
      { url: "https://x", http_headers: { A: "b" } },
      { url: "https://x", headers: { A: "b" } },
    ],
    // Others
    [
      { baseUrl: "https://x", transport: "SSE" },
      { url: "https://x", type: "sse" },
    ],
    [
      { transportType: "Streamable HTTP", url: "https://x" },
      { type: "http", url: "https://x" },
    ],
    [
      { command: "x", args: ["--port", 8080, true], env: { PORT: 8080, DEBUG: false } },
      { command: "x", args: ["--port", "8080", "true"], env: { PORT: "8080", DEBUG: "false" } },
    ],
    [
      { url: "https://x", headers: { "X-Version": 2 } },
      { url: "https://x", headers: { "X-Version": "2" } },
    ],
    [
      { command: "x", isActive: false, gallery: true, version: "1" },
      { command: "x", disabled: true },
    ],
  ])("turns %j into %j", (pasted, canonical) => {
    expect(server(pasted).entry).toEqual(canonical);
  });

  it("remembers where each key came from", () => {
    const { origin } = server({
      serverUrl: "x",
      environment: { A: 1 },
      timeout: -1,
      enabled: "no",
      tools: ["a", 1],
      excludeTools: ["b"],
    });
    expect(origin("url")).toEqual(["serverUrl"]);
    expect(origin("env", "A")).toEqual(["environment", "A"]);
    expect(origin("timeouts", "callMs")).toEqual(["timeout"]);
    expect(origin("disabled")).toEqual(["enabled"]);
    expect(origin("toolFilters", 1)).toEqual(["tools", 1]);
    expect(origin("toolFilters", 2)).toEqual(["excludeTools", 0]);
    expect(origin("command")).toEqual(["command"]);
  });

  it("remembers the positions of what was under transport", () => {
    const { origin } = server({ transport: { cmd: "a", args: ["b"] }, timeout: 9 });
    expect(origin("command")).toEqual(["transport", "cmd"]);
    expect(origin("args", 0)).toEqual(["transport", "args", 0]);
    expect(origin("timeouts", "callMs")).toEqual(["timeout"]);
  });

  it("remembers the positions in a command that was a list", () => {
    const { entry, origin } = server({ command: ["a", "b", "c"], args: ["d", "e"] });
    expect(entry).toEqual({ command: "a", args: ["b", "c", "d", "e"] });
    expect(origin("command")).toEqual(["command", 0]);
    expect(origin("args", 1)).toEqual(["command", 2]);
    expect(origin("args", 2)).toEqual(["args", 0]);
    expect(origin("args", 3)).toEqual(["args", 1]);
  });

  it.each([
    { url: "https://a", serverUrl: "https://b" },
    { command: "a", cmd: "b" },
    { command: "a", disabled: true, enabled: true },
    { command: "a", type: "stdio", transport: "sse" },
    { command: "a", toolFilters: ["a"], tools: ["b"] },
    { command: "a", timeouts: { callMs: 1 }, timeout: 2 },
  ])("leaves a contradiction for the schema to reject: %j", (pasted) => {
    expect(server(pasted).entry).toEqual(pasted);
  });

  it.each([
    [
      { command: "a", type: "stdio", transport: "stdio" },
      { command: "a", type: "stdio" },
    ],
    [
      { url: "u", type: "http", transport: "streamable-http" },
      { url: "u", type: "http" },
    ],
    [{ url: "https://a", serverUrl: "https://a" }, { url: "https://a" }],
    [
      { command: "a", disabled: false, enabled: true },
      { command: "a", disabled: false },
    ],
  ])("accepts two keys that mean the same: %j", (pasted, canonical) => {
    expect(server(pasted).entry).toEqual(canonical);
  });

  it.each([null, 5, "npx", [], { command: [] }, { type: 5 }, { type: "websocket" }, { env: null }])(
    "leaves what it does not understand to the schema: %j",
    (entry) => {
      expect(server(entry).entry).toEqual(entry);
    },
  );

  it.each([undefined, null, 1, "x", [], {}, { toolboxes: [] }, { toolboxes: { a: null } }])(
    "returns the malformed configuration %j unchanged",
    (config) => {
      expect(normalise(config, signIns).value).toEqual(config);
    },
  );

  it("does not change the value it was given", () => {
    const config = { toolboxes: { t: { mcpServers: { s: { cmd: "x", timeout: 1 } } } } };
    const before = structuredClone(config);
    normalise(config, signIns);
    expect(config).toEqual(before);
  });

  it("leaves canonical configurations unchanged", () => {
    fc.assert(
      fc.property(validConfig, (config) => {
        const { value, originOf } = normalise(config, signIns);
        expect(value).toEqual(config);
        const place = ["toolboxes", "x", "mcpServers", "y", "url"];
        expect(originOf(place)).toEqual(place);
      }),
    );
  });
});
