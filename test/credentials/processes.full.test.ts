/** The credential store, used by several processes at the same time. In the full suite because it starts many. */
import { type ChildProcess, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { beforeAll, describe, expect, it } from "vitest";

import { newFolder } from "../support/new-folder.ts";
import type { KeySource } from "../../src/credentials/keychain-key.ts";
import { openCredentialStore, type StoreOptions } from "../../src/credentials/store.ts";
import { CANARY, credentialFolder, recordOf } from "../support/credentials.ts";
import { perBlock, perTest } from "../support/disposables.ts";
import { MARKER_VARIABLE, processesOf, waitFor } from "../support/proc.ts";

const forAll = perBlock();
const disposables = perTest();
const RECORD = recordOf("https://a.example/mcp");
const PROCESSES = 8;
const EACH = 5;
let built: string;

beforeAll(async () => {
  built = newFolder("credentials-built");
  forAll.defer(() => rmSync(built, { recursive: true, force: true }));
  const source = (path: string): string =>
    fileURLToPath(new URL(`../../src/${path}.ts`, import.meta.url));
  await build({
    entryPoints: [source("credentials/store"), source("secrets/keyring-process")],
    outdir: built,
    bundle: true,
    platform: "node",
    format: "esm",
    outExtension: { ".js": ".mjs" },
  });
});

interface Child {
  readonly process: ChildProcess;
  /** The next line of its output. */
  line(): Promise<string>;
  send(line: string): void;
  /** Everything that it wrote, once it has ended. */
  end(): Promise<string>;
}

/** Runs code with `openCredentialStore`, `runKeyring`, `RECORD`, `say` and `next`, the next line of its input. */
function start(code: string, env: Record<string, string> = {}): Child {
  const script = `
    import { createInterface } from "node:readline";
    const { openCredentialStore } = await import(${JSON.stringify(join(built, "credentials/store.mjs"))});
    const { runKeyring } = await import(${JSON.stringify(join(built, "secrets/keyring-process.mjs"))});
    const RECORD = ${JSON.stringify(RECORD)};
    const say = (line) => process.stdout.write(line + "\\n");
    const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]();
    const next = async () => (await lines.next()).value;
    ${code}
    process.stdin.destroy();`;
  const child = spawn(process.execPath, ["--input-type=module", "--eval", script], {
    stdio: "pipe",
    env: { ...process.env, ...env },
  });
  disposables.defer(() => child.kill("SIGKILL"));
  let output = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => (output += text));
  const closed = once(child, "close");
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return {
    process: child,
    async line() {
      const { value, done } = await lines.next();
      if (done === true) throw new Error(`the process ended: ${output}`);
      output += `${value}\n`;
      return value;
    },
    send: (line) => child.stdin.write(`${line}\n`),
    async end() {
      for await (const line of lines) output += `${line}\n`;
      await closed;
      expect(output).not.toContain(CANARY);
      return output;
    },
  };
}

const openIn = (folder: string, more: Partial<StoreOptions> = {}) =>
  openCredentialStore({ mode: "file", env: {}, folder, ...more });

const holder = (folder: string, timing = "{}"): string => `
  const store = openCredentialStore({ mode: "file", env: {}, folder: ${JSON.stringify(folder)}, lockTiming: ${timing} });
  await store.withLock(RECORD, async (lock) => {
    say("held");
    await next();
    await lock.assertHeld().then(() => say("still held"), (error) => say(error.message));
  });`;

describe("the lock of a credential", () => {
  it("lets no update get lost, although its first holder is killed", async () => {
    const folder = credentialFolder(disposables);
    const store = openIn(folder);
    await store.write({ ...RECORD, generation: 0 });
    const killed = start(holder(folder));
    expect(await killed.line()).toBe("held");
    const children = Array.from({ length: PROCESSES }, () =>
      start(`
        const store = openCredentialStore({ mode: "file", env: {}, folder: ${JSON.stringify(folder)} });
        say("ready");
        for (let i = 0; i < ${EACH}; i++)
          await store.withLock(RECORD, async (lock) => {
            const record = await store.read(RECORD);
            await lock.assertHeld();
            await store.write({ ...record, generation: record.generation + 1 });
          });
        say("done");`),
    );
    for (const child of children) expect(await child.line()).toBe("ready");
    expect((await store.read(RECORD))?.generation).toBe(0);
    killed.process.kill("SIGKILL");
    for (const child of children) expect(await child.end()).toBe("ready\ndone\n");
    expect((await store.read(RECORD))?.generation).toBe(PROCESSES * EACH);
    expect(readdirSync(folder)).toHaveLength(1);
  });

  it("is taken over from a process that does not respond, which notices it", async () => {
    const folder = credentialFolder(disposables);
    const timing = { touchMs: 50, staleMs: 1000 };
    const stopped = start(holder(folder, JSON.stringify(timing)));
    expect(await stopped.line()).toBe("held");
    stopped.process.kill("SIGSTOP");
    const store = openIn(folder, { lockTiming: timing });
    await store.withLock(RECORD, async (lock) => {
      stopped.process.kill("SIGCONT");
      stopped.send("go on");
      expect(await stopped.line()).toContain("another process took its lock over");
      await lock.assertHeld();
    });
    await stopped.end();
    expect(readdirSync(folder)).toEqual([]);
  });
});

describe("the key in the keychain", () => {
  it("is created by one of several processes that start at the same time", async () => {
    const folder = credentialFolder(disposables);
    const keyFile = join(dirname(dirname(folder)), "key");
    const children = Array.from({ length: PROCESSES }, (_, i) =>
      start(`
        import { appendFileSync, existsSync, readFileSync } from "node:fs";
        const file = ${JSON.stringify(keyFile)};
        const keySource = {
          read: async () => (existsSync(file) ? readFileSync(file, "utf8").split("\\n").at(-2) : undefined),
          write: async (value) => appendFileSync(file, value + "\\n"),
        };
        const store = openCredentialStore({ mode: "keychain", env: {}, folder: ${JSON.stringify(folder)}, keySource });
        say("ready");
        await next();
        await store.write({ ...RECORD, account: "${i}" });
        say("done");`),
    );
    for (const child of children) expect(await child.line()).toBe("ready");
    for (const child of children) child.send("go");
    for (const child of children) expect(await child.end()).toBe("ready\ndone\n");
    const keys = readFileSync(keyFile, "utf8").trim().split("\n");
    expect(keys).toHaveLength(1);
    const keySource: KeySource = { read: async () => keys[0], write: async () => {} };
    const listed = await openIn(folder, { keySource }).list();
    expect(listed.filter((entry) => "record" in entry)).toHaveLength(PROCESSES);
  });

  it("does not leave a process behind if this one is killed while the keychain hangs", async () => {
    const library = join(dirname(dirname(credentialFolder(disposables))), "library.cjs");
    const marker = randomUUID();
    const reached = `${library}.reached`;
    disposables.defer(() => rmSync(library, { force: true }));
    disposables.defer(() => rmSync(reached, { force: true }));
    writeFileSync(
      library,
      `exports.Entry = class {
        constructor() {
          require("node:fs").writeFileSync(${JSON.stringify(reached)}, "");
          Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
        }
      };`,
    );
    const child = start(
      `const options = { env: process.env, timeoutMs: 600000, library: ${JSON.stringify(library)} };
       await runKeyring({ service: "s", account: "a", action: "get" }, options);`,
      { [MARKER_VARIABLE]: marker },
    );
    await waitFor(() => existsSync(reached), 60_000, "the keychain to be used");
    expect(processesOf(marker)).toHaveLength(2);
    child.process.kill("SIGKILL");
    await child.end();
    await waitFor(() => processesOf(marker).length === 0, 60_000, "the end of all processes");
  });
});

describe("the watcher of a store", () => {
  it("notices what another process writes, and does not keep a process alive", async () => {
    const folder = credentialFolder(disposables);
    const store = openIn(folder);
    await store.write(RECORD);
    const changed = new Promise<void>((resolve) => {
      disposables.defer(store.watch(resolve));
    });
    const child = start(`
      const store = openCredentialStore({ mode: "file", env: {}, folder: ${JSON.stringify(folder)} });
      store.watch(() => {});
      await store.write({ ...RECORD, generation: 7 });
      say("written");`);
    await changed;
    // The lock of the other process may be what was noticed first.
    const isWritten = async (): Promise<boolean> => (await store.read(RECORD))?.generation === 7;
    await waitFor(isWritten, 60_000, "what was written");
    expect(await child.end()).toBe("written\n");
  });
});
