import { describe, expect, it } from "vitest";

import { projectFiles, resolvePath, markersOf, userFiles } from "./paths.ts";
import type { HostInfo } from "./paths.ts";
import { CLIENTS, requireClient } from "./table.ts";

const LINUX: HostInfo = { platform: "linux", env: {}, home: "/home/ada" };
const MAC: HostInfo = { platform: "darwin", env: {}, home: "/Users/ada" };
const WINDOWS: HostInfo = {
  platform: "win32",
  env: { APPDATA: "C:\\Users\\ada\\AppData\\Roaming" },
  home: "C:\\Users\\ada",
};

const rowOf = requireClient;
const first = (id: string, host: HostInfo): string | undefined => userFiles(rowOf(id), host)[0];

describe("userFiles", () => {
  it.each([
    [
      "claude-code",
      "/home/ada/.claude.json",
      "/Users/ada/.claude.json",
      "C:\\Users\\ada\\.claude.json",
    ],
    [
      "claude-desktop",
      "/home/ada/.config/Claude/claude_desktop_config.json",
      "/Users/ada/Library/Application Support/Claude/claude_desktop_config.json",
      "C:\\Users\\ada\\AppData\\Roaming\\Claude\\claude_desktop_config.json",
    ],
    [
      "vscode",
      "/home/ada/.config/Code/User/mcp.json",
      "/Users/ada/Library/Application Support/Code/User/mcp.json",
      "C:\\Users\\ada\\AppData\\Roaming\\Code\\User\\mcp.json",
    ],
    [
      "windsurf",
      "/home/ada/.codeium/windsurf/mcp_config.json",
      "/Users/ada/.codeium/windsurf/mcp_config.json",
      "C:\\Users\\ada\\.codeium\\windsurf\\mcp_config.json",
    ],
    [
      "zed",
      "/home/ada/.config/zed/settings.json",
      "/Users/ada/.config/zed/settings.json",
      "C:\\Users\\ada\\AppData\\Roaming\\Zed\\settings.json",
    ],
    [
      "goose",
      "/home/ada/.config/goose/config.yaml",
      "/Users/ada/.config/goose/config.yaml",
      "C:\\Users\\ada\\AppData\\Roaming\\Block\\goose\\config\\config.yaml",
    ],
    [
      "opencode",
      "/home/ada/.config/opencode/opencode.json",
      "/Users/ada/.config/opencode/opencode.json",
      "C:\\Users\\ada\\.config\\opencode\\opencode.json",
    ],
  ])("returns the file where %s keeps its servers", (id, linux, mac, windows) => {
    expect(first(id, LINUX)).toBe(linux);
    expect(first(id, MAC)).toBe(mac);
    expect(first(id, WINDOWS)).toBe(windows);
  });

  it("respects variables that move a configuration", () => {
    const env = { CODEX_HOME: "/opt/codex", COPILOT_HOME: "", XDG_CONFIG_HOME: "/cfg" };
    const host = { ...LINUX, env };
    expect(userFiles(rowOf("codex"), host)).toEqual(["/opt/codex/config.toml"]);
    expect(first("copilot-cli", host)).toBe("/home/ada/.copilot/mcp-config.json");
    expect(first("zed", host)).toBe("/cfg/zed/settings.json");
    expect(first("zed", { ...MAC, env })).toBe("/Users/ada/.config/zed/settings.json");
    expect(first("claude-desktop", { ...WINDOWS, env: {} })).toBe(
      "C:\\Users\\ada\\AppData\\Roaming\\Claude\\claude_desktop_config.json",
    );
  });
});

it("projectFiles returns the project files on every system", () => {
  expect(projectFiles(rowOf("cursor"), "/src/app", LINUX)).toEqual(["/src/app/.cursor/mcp.json"]);
  expect(projectFiles(rowOf("kiro"), "D:\\app", WINDOWS)).toEqual([
    "D:\\app\\.kiro\\settings\\mcp.json",
  ]);
});

it("signsOf returns the files that show that a client is installed", () => {
  expect(markersOf(rowOf("cursor"), LINUX)).toEqual(["/home/ada/.cursor"]);
  expect(markersOf(rowOf("claude-code"), LINUX)).toEqual([
    "/home/ada/.claude.json",
    "/home/ada/.claude",
  ]);
  expect(markersOf(rowOf("vscode"), LINUX)).toEqual(["/home/ada/.config/Code/User"]);
  expect(markersOf(rowOf("opencode"), LINUX)).toEqual(["/home/ada/.config/opencode"]);
});

it("resolvePath returns undefined for a variable that is not set", () => {
  expect(resolvePath("{env:NOPE}/x", LINUX)).toBeUndefined();
});

describe("the table of clients", () => {
  it("finds clients by id in any case, and suggests the nearest", () => {
    expect(requireClient("Cursor").label).toBe("Cursor");
    expect(() => requireClient("curser")).toThrow(
      expect.objectContaining({ text: "Unknown client 'curser'. Did you mean 'cursor'?" }),
    );
    expect(() => requireClient("emacs")).toThrow(
      expect.objectContaining({
        code: "CLIENT_UNKNOWN",
        text: expect.stringMatching(/^Unknown client 'emacs'\. Supported: claude-code, /),
      }),
    );
  });

  it("has one row per client, with an absolute user file on every system", () => {
    expect(new Set(CLIENTS.map(({ id }) => id)).size).toBe(CLIENTS.length);
    for (const row of CLIENTS) {
      expect(userFiles(row, LINUX)[0]).toMatch(/^\/home\/ada\//);
      expect(userFiles(row, MAC)[0]).toMatch(/^\/Users\/ada\//);
      expect(userFiles(row, WINDOWS)[0]).toMatch(/^C:\\Users\\ada\\[^/]*$/);
      expect(markersOf(row, LINUX).length).toBeGreaterThan(0);
      expect(row.keys.length).toBeGreaterThan(0);
    }
  });
});
