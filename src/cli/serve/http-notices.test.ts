import { describe, expect, it } from "vitest";

import type { ClientView } from "../../serve/client-view.ts";
import { connectionHelp, plainHttpWarning } from "./http-notices.ts";
import { networkUrls } from "./network-urls.ts";

const INTERFACES = [
  { address: "127.0.0.1", family: "IPv4", internal: true },
  { address: "192.0.2.7", family: "IPv4", internal: false },
  { address: "fe80::1", family: "IPv6", internal: false },
  { address: "2001:db8::7", family: "IPv6", internal: false },
];

describe("the addresses of a workbench", () => {
  it.each([
    ["127.0.0.1", []],
    ["192.0.2.7", []],
    ["0.0.0.0", ["http://192.0.2.7:7333"]],
    ["::", ["http://192.0.2.7:7333", "http://[2001:db8::7]:7333"]],
  ])("that listens on %s, for other machines, are %j", (host, expected) => {
    expect(networkUrls(host, 7333, INTERFACES)).toEqual(expected);
  });

  it("are printed with commands that work on other machines, too", () => {
    const at = {
      url: "http://127.0.0.1:7333",
      network: ["http://192.0.2.7:7333"],
      hostName: "box",
    };
    const text = connectionHelp(at, { scope: new Map() }, { variable: "TOKEN" });
    expect(text).toContain("listens on http://127.0.0.1:7333\n");
    expect(text).toContain("From other machines:\n  http://192.0.2.7:7333\n");
    expect(text).toContain("--allow-host box");
    expect(text).toContain("claude mcp add --transport http workbench http://192.0.2.7:7333/mcp");
    const local = connectionHelp({ ...at, network: [] }, { scope: new Map() }, undefined);
    expect(local).not.toContain("other machines");
    expect(local).toContain("workbench http://127.0.0.1:7333/mcp");
  });

  it("are printed in lines that fit the terminal, except commands and settings", () => {
    const at = { url: "http://127.0.0.1:7333", network: [], hostName: undefined };
    const scope = new Map(
      ["source-code", "databases", "everything-else"].map((name) => [name, {}]),
    );
    const token = { file: "/home/ada/.local/state/mcp-workbench/token", token: "abc" };
    const text = connectionHelp(at, { scope } as unknown as ClientView, token, 60);
    const [prose = ""] = (plainHttpWarning("0.0.0.0", 60) + text).split("Claude Code:");
    for (const line of prose.split("\n")) expect(line.length).toBeLessThanOrEqual(60);
    expect(prose).toContain("\n\n  abc\n\n");
  });

  it("that others can reach come with a warning", () => {
    expect(plainHttpWarning("0.0.0.0")).toContain("is not encrypted");
  });
});
