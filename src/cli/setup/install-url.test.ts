import { describe, expect, it } from "vitest";

import type { View } from "../../clients/entry.ts";
import type { RemoteWorkbench } from "../../clients/remote-entry.ts";
import { SETUP_COMMANDS } from "../commands/setup.ts";
import { readArguments } from "../core/arguments.ts";
import { readRemote, remoteWarnings } from "./install-url.ts";

const COMMAND = SETUP_COMMANDS.find(({ name }) => name === "install");

function remote(url: string, options: readonly string[] = [], view: View = {}): RemoteWorkbench {
  if (COMMAND === undefined) throw new Error("there is no command install");
  return readRemote(readArguments(COMMAND, ["cursor", ...options]), url, view);
}

describe("install --url", () => {
  it("takes the address of a workbench and the variable with its token", () => {
    expect(remote("https://host/mcp/")).toEqual({ url: "https://host/mcp" });
    expect(remote("http://[::1]:7333/proxy/mcp/dev/files", ["--token-env", "T"])).toEqual({
      url: "http://[::1]:7333/proxy/mcp/dev/files",
      tokenVariable: "T",
    });
  });

  it("adds a toolbox or a server to the address", () => {
    const url = "https://host/mcp";
    expect(remote(url, [], { toolboxes: ["dev"] }).url).toBe("https://host/mcp/dev");
    expect(remote(url, [], { server: "dev/files" }).url).toBe("https://host/mcp/dev/files");
    expect(() => remote(url, [], { toolboxes: ["a", "b"] })).toThrow("not several");
    expect(() => remote(`${url}/dev`, [], { toolboxes: ["a"] })).toThrow("already selects");
  });

  it("refuses a view that no address can have, because uninstall would not recognise the entry", () => {
    const url = "https://host/mcp";
    for (const server of ["dev", "dev/files/x", "dev/", "/files", "dev/.."])
      expect(() => remote(url, [], { server })).toThrow("not in the form TOOLBOX/SERVER");
    for (const toolbox of ["dev/files", "a b", "..", ""])
      expect(() => remote(url, [], { toolboxes: [toolbox] })).toThrow("not the name of a toolbox");
  });

  it.each([
    ["another protocol", "ws://host/mcp", "not an http:// or https:// address"],
    ["something else", "host/mcp", "not an http:// or https:// address"],
    ["a different path", "https://host/", "not the address of a workbench"],
    ["a query", "https://host/mcp?x=1", "not the address of a workbench"],
    ["a password", "https://me:hunter22@host/mcp", "contains a secret"],
    ["a key", "https://host/mcp?api_key=0123456789abcdef0123", "contains a secret"],
  ])("refuses %s without repeating it", (_what, url, reason) => {
    const attempt = (): unknown => remote(url);
    expect(attempt).toThrow(reason);
    expect(attempt).not.toThrow(/hunter22|0123456789/);
  });

  it("refuses a token instead of the name of a variable, without repeating it", () => {
    const attempt = (): unknown => remote("https://host/mcp", ["--token-env", "abc-def=="]);
    expect(attempt).toThrow("--token-env is not the name of an environment variable");
    expect(attempt).not.toThrow("abc-def");
  });

  it("refuses a name by which the entry could not be recognised, and options about a configuration", () => {
    expect(() => remote("https://host/mcp", ["--name", "team"])).toThrow("must be 'workbench'");
    expect(remote("https://host/mcp", ["--name", "workbench-team"]).url).toBe("https://host/mcp");
    expect(() => remote("https://host/mcp", ["--replace"])).toThrow("--replace and --url");
    expect(() => remote("https://host/mcp", ["--config", "x"])).toThrow("--config and --url");
  });

  it("warns of a variable that is not set and of traffic that is not encrypted", () => {
    const tokenVariable = "T";
    const warnings = (url: string, env = {}): readonly string[] =>
      remoteWarnings({ url, tokenVariable }, env);
    expect(warnings("http://127.0.0.1:1/mcp", { T: "x" })).toEqual([]);
    expect(warnings("http://[::1]:1/mcp", { T: "x" })).toEqual([]);
    expect(warnings("https://host/mcp", {})).toEqual([
      expect.stringContaining("T is not set here"),
    ]);
    expect(warnings("http://host/mcp", { T: "x" })).toEqual([
      expect.stringContaining("host uses http://"),
    ]);
  });
});
