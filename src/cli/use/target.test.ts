import { describe, expect, it } from "vitest";

import { fakePrompt } from "../../../test/support/fake-terminal.ts";
import { readArguments } from "../core/arguments.ts";
import type { Context } from "../core/command.ts";
import { requireCommand } from "../help.ts";
import { readEnv, readHeaders } from "../core/server-options.ts";
import { findTarget, parseToolPath } from "./target.ts";

function context(...args: string[]): Context {
  const { out, prompt, abort } = fakePrompt(false);
  const { signal } = abort;
  const parsed = readArguments(requireCommand("call"), args);
  return {
    args: parsed,
    out,
    prompt,
    signal,
    endsOnSignal: () => {},
    noteInterruption: () => {},
    finishFirst: () => {},
    env: { HOME: "/h" },
    cwd: "/here",
  };
}

describe("the target of a command", () => {
  it.each([
    ["", {}],
    ["dev", { toolbox: "dev" }],
    ["dev/", { toolbox: "dev" }],
    ["dev/files", { toolbox: "dev", server: "files" }],
    ["dev/files/read", { toolbox: "dev", server: "files", tool: "read" }],
    ["dev/files/a/b", { toolbox: "dev", server: "files", tool: "a/b" }],
  ])("'%s' means %j", (text, place) => {
    expect(parseToolPath(text)).toEqual(place);
  });

  it("can be a command line that is in no configuration", async () => {
    const target = await findTarget(
      context("echo", "text=hi", "-e", "A=1", "--", "npx", "-y", "@scope/server-x@1.2", "arg"),
    );
    const { settings, path, words, isAdHoc } = target;
    expect({ path, words, isAdHoc }).toEqual({
      path: { toolbox: "adhoc", server: "server-x" },
      words: ["echo", "text=hi"],
      isAdHoc: true,
    });
    expect(settings.toolboxes.get("adhoc")?.servers.get("server-x")?.transport).toEqual({
      kind: "stdio",
      command: "npx",
      args: ["-y", "@scope/server-x@1.2", "arg"],
      env: { A: "1" },
      cwd: "/here",
    });
  });

  it.each([
    [["node", "-e", "0"], "node"],
    [["python3", "-c", "print()"], "python3"],
    [["node", "./my-server.mjs"], "my-server"],
    [["uvx", "mcp-server-git"], "mcp-server-git"],
  ])("with the command line %j is called %s", async (words, name) => {
    expect((await findTarget(context("x", "--", ...words))).path.server).toBe(name);
  });

  it("can be a URL", async () => {
    const target = await findTarget(context("https://example.com/mcp", "echo", "-H", "X-Key: v"));
    expect(target.path).toEqual({ toolbox: "adhoc", server: "example.com" });
    expect(target.words).toEqual(["echo"]);
    expect(target.settings.toolboxes.get("adhoc")?.servers.get("example.com")?.transport).toEqual({
      kind: "auto",
      url: "https://example.com/mcp",
      headers: { "X-Key": "v" },
      oauth: { account: "default", grant: "authorization_code" },
    });
  });

  it.each([
    [["x", "--"], "No command after --"],
    [
      ["https://a.example", "x", "-e", "A=1"],
      "--env is only for servers that are started as a command",
    ],
    [["x", "-H", "A: b", "--", "node"], "--header is only for servers with a URL"],
    [["x", "-e", "TOKEN", "--", "node"], "environment variable TOKEN is not set"],
  ])("%j is rejected", async (args, message) => {
    await expect(findTarget(context(...args))).rejects.toThrow(message);
  });
});

describe("the server options of the command line", () => {
  it("pass a variable on that is given by name only", () => {
    expect(readEnv(["A=1", "B=", "C=x=y", "TOKEN"])).toEqual({
      A: "1",
      B: "",
      C: "x=y",
      TOKEN: "${TOKEN}",
    });
    expect(() => readEnv(["1x=2"])).toThrow("'1x' is not a valid variable name");
  });

  it("do not repeat an invalid header, which may be a secret", () => {
    expect(readHeaders(["A: b", "C:d", "E=f"])).toEqual({ A: "b", C: "d", E: "f" });
    expect(() => readHeaders(["topsecret"])).toThrow(/^--header takes "Name: value"$/);
  });
});
