import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";

import { newFolder } from "../../../test/support/new-folder.ts";
import { GENEROUS_MS } from "../../../test/support/clients/json-rpc.ts";
import { alive, waitFor } from "../../../test/support/proc.ts";
import { fakeKeychain } from "../../../test/support/fake-keychain.ts";
import { settingsWith } from "../../../test/support/fake-connection.ts";
import type { SecretCommand, SecretReference, ServerSettings } from "../../config/types.ts";
import { NO_LOG } from "../../log.ts";
import { Guard } from "../transport/stdio/guard.ts";
import { SecretResolver } from "./secret-resolver.ts";

let folder = "";
let hidden: string[] = [];
let warnings: string[] = [];
let closing = new AbortController();

beforeEach(() => {
  folder = newFolder("workbench-resolver");
  hidden = [];
  warnings = [];
  closing = new AbortController();
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function newResolver(): SecretResolver {
  return new SecretResolver({
    log: { ...NO_LOG, warn: (message) => warnings.push(message) },
    guard: new Guard(),
    signal: closing.signal,
    hide: (values) => hidden.push(...values),
  });
}

/** A command that appends a line to runs.txt, then runs this JavaScript. */
function command(code: string, more: Partial<SecretCommand> = {}): SecretReference {
  const count = `require("node:fs").appendFileSync(${JSON.stringify(join(folder, "runs.txt"))}, process.pid + "\\n");`;
  const run = {
    command: [process.execPath, "-e", count + code],
    timeoutMs: 60_000,
    cacheMs: 60_000,
    inheritEnv: [],
    cwd: folder,
    ...more,
  };
  return { kind: "command", name: "c", run };
}
const runs = (): number[] =>
  existsSync(join(folder, "runs.txt"))
    ? readFileSync(join(folder, "runs.txt"), "utf8").trim().split("\n").map(Number)
    : [];
/** Waits until this many processes have started, and returns them. */
async function untilRunning(count: number): Promise<readonly number[]> {
  const all = (): boolean => runs().filter((pid) => pid > 0).length === count;
  await waitFor(all, GENEROUS_MS, "the processes to start");
  return runs();
}

function withEnv(...parts: (string | SecretReference)[]): ServerSettings {
  const transport = {
    kind: "stdio",
    command: "x",
    args: ["a"],
    env: { A: "?", B: "b" },
    cwd: undefined,
  } as const;
  return { ...settingsWith({ transport }), secretTexts: [{ at: ["env", "A"], parts }] };
}
const valueOf = async (resolver: SecretResolver, ...parts: (string | SecretReference)[]) => {
  const { transport } = await resolver.resolve(withEnv(...parts));
  return transport.kind === "stdio" ? transport.env["A"] : undefined;
};
const printing = (text: string): string => `process.stdout.write(${JSON.stringify(text)})`;

describe("SecretResolver", () => {
  it("replaces references, hides their values first, and leaves everything else as it is", async () => {
    writeFileSync(join(folder, "f"), "from-file\n", { mode: 0o600 });
    const file = { kind: "file", path: join(folder, "f") } as const;
    const settings = withEnv("a ", command(printing("printed\n")), " b ", file);
    const { transport, secretTexts } = await newResolver().resolve(settings);
    expect(transport).toEqual({
      ...settings.transport,
      env: { A: "a printed b from-file", B: "b" },
    });
    expect(secretTexts).toEqual([]);
    expect(hidden).toEqual(expect.arrayContaining(["printed", "from-file"]));
  });

  it("runs a command once for concurrent requests, and again after its time", async () => {
    const resolver = newResolver();
    const kept = command(printing("v"));
    const all = await Promise.all(Array.from({ length: 10 }, () => valueOf(resolver, kept)));
    expect(new Set(all)).toEqual(new Set(["v"]));
    await valueOf(resolver, { ...kept, fallback: "other" });
    expect(runs()).toHaveLength(1);
    const notKept = command(printing("v"), { cacheMs: 0 });
    await valueOf(resolver, notKept);
    await valueOf(resolver, notKept);
    expect(runs()).toHaveLength(3);
  });

  it("gives a command no input and only a minimal environment", async () => {
    const code = `process.stdout.write(JSON.stringify([require("node:fs").readFileSync(0, "utf8"), Object.keys(process.env)]))`;
    const before = process.env["RESOLVER_TEST"];
    process.env["RESOLVER_TEST"] = "1";
    try {
      const [input, names] = JSON.parse((await valueOf(newResolver(), command(code))) ?? "") as [
        string,
        string[],
      ];
      expect(input).toBe("");
      expect(names).toContain("PATH");
      expect(names).not.toContain("RESOLVER_TEST");
      const passed = command(code, { inheritEnv: ["RESOLVER_TEST"] });
      expect(await valueOf(newResolver(), passed)).toContain("RESOLVER_TEST");
    } finally {
      if (before === undefined) delete process.env["RESOLVER_TEST"];
    }
  });

  it("reports a command that fails with its last line, without what it printed", async () => {
    const code = `${printing("canary-value-7")}; console.error("first"); console.error("no session for canary-value-7, password=hunter2hunter2"); process.exitCode = 3`;
    const failure = newResolver().resolve(withEnv(command(code)));
    await expect(failure).rejects.toThrow(
      /^secret command c: it failed with exit code 3: no session for /,
    );
    await expect(failure).rejects.not.toThrow(/canary-value-7|hunter2|first/);
    await expect(failure).rejects.toMatchObject({ code: "secretUnavailable" });
    expect(hidden).toContain("canary-value-7");
  });

  it("ends a command that takes too long, with all processes it started", async () => {
    const child = `require("node:child_process").spawn(process.execPath, ["-e", "require('node:fs').appendFileSync(" + ${JSON.stringify(JSON.stringify(join(folder, "runs.txt")))} + ", process.pid + '\\\\n'); setInterval(() => {}, 1000)"], { stdio: "inherit" }); setInterval(() => {}, 1000)`;
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    onTestFinished(() => void vi.useRealTimers());
    const failure = newResolver().resolve(withEnv(command(child, { timeoutMs: 1_500 })));
    const problem = failure.catch(String);
    const started = await untilRunning(2);
    vi.advanceTimersByTime(1_500);
    // Ending the processes takes real time.
    vi.useRealTimers();
    expect(await problem).toContain("did not finish within 1500 ms");
    for (const pid of started) expect(alive(pid)).toBe(false);
  });

  it("ends running commands when the workbench closes", async () => {
    const failure = newResolver().resolve(withEnv(command("setInterval(() => {}, 1000)")));
    const started = await untilRunning(1);
    closing.abort();
    await expect(failure).rejects.toThrow("the workbench is closing");
    for (const pid of started) expect(alive(pid)).toBe(false);
  });

  it.each([
    ["too much", printing("x".repeat(70_000)), "it printed more than 64 KB"],
    ["nothing", "", "it printed nothing"],
    ["no text", "process.stdout.write(Buffer.from([255, 254]))", "not text in UTF-8"],
    ["a NUL character", printing("a\0b"), "contains a NUL character"],
  ])("refuses a command that prints %s", async (_, code, problem) => {
    await expect(newResolver().resolve(withEnv(command(code)))).rejects.toThrow(problem);
  });

  it("names a program that does not exist", async () => {
    const missing = command("", { command: ["no-such-program-anywhere"] });
    await expect(newResolver().resolve(withEnv(missing))).rejects.toThrow(
      "secret command c: its program 'no-such-program-anywhere' was not found",
    );
  });

  it("uses a default only for a secret that does not exist", async () => {
    const file = { kind: "file", path: join(folder, "none") } as const;
    expect(await valueOf(newResolver(), { ...file, fallback: "d" })).toBe("d");
    await expect(valueOf(newResolver(), file)).rejects.toThrow("does not exist or is empty");
    const failing = { ...command("process.exitCode = 1"), fallback: "d" };
    await expect(valueOf(newResolver(), failing)).rejects.toThrow("exit code 1");
  });

  it("uses a default where the keychain fails, or has no such secret", async () => {
    const keychain = fakeKeychain(folder);
    const stopUsing = keychain.useHere();
    try {
      keychain.store({ A_TOKEN: "stored-value" });
      const reference = { kind: "keychain", name: "A_TOKEN" } as const;
      const withDefault = { ...reference, fallback: "d" };
      expect(await valueOf(newResolver(), withDefault)).toBe("stored-value");
      expect(await valueOf(newResolver(), { ...withDefault, name: "NONE" })).toBe("d");
      keychain.breakWith("it is locked");
      expect(await valueOf(newResolver(), withDefault)).toBe("d");
      await expect(valueOf(newResolver(), reference)).rejects.toThrow(
        /^A_TOKEN cannot be read from the keychain: .*it is locked/,
      );
    } finally {
      stopUsing();
    }
  });

  it("checks headers and URLs again, without quoting them", async () => {
    const remote = { kind: "http", url: "https://h/?", headers: { K: "?" } } as const;
    const at =
      (...path: string[]) =>
      (value: string) => ({
        ...settingsWith({ transport: remote }),
        secretTexts: [{ at: path, parts: [command(printing(value))] }],
      });
    const header = at("headers", "K");
    const { transport } = await newResolver().resolve(header("Bearer x\n\n"));
    expect(transport).toMatchObject({ headers: { K: "Bearer x" } });
    const split = newResolver().resolve(header("canary\r\nHost: evil"));
    await expect(split).rejects.toThrow("headers.K: its secret contains a character");
    await expect(split).rejects.not.toThrow("canary");
    await expect(newResolver().resolve(at("url")("file:///canary"))).rejects.toThrow(
      "url: with its secret, it is not a server URL",
    );
  });
});
