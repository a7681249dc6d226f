import { chmodSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { newFolder } from "../../../test/support/new-folder.ts";
import { parseConfig } from "../load.ts";
import { trustConfig } from "../trust/trust.ts";
import type { ServerSettings } from "../types.ts";

let folder = "";
let file = "";

beforeEach(() => {
  folder = newFolder("workbench-secret-texts");
  file = join(folder, "workbench-config.json");
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const COMMANDS = { gh: { command: ["./print", "a"], inheritEnv: ["OP"] } };
const textOf = (entry: object, more: object = { secretCommands: COMMANDS }): string =>
  JSON.stringify({ ...more, toolboxes: { t: { description: "d", mcpServers: { s: entry } } } });
const serverIn = async (text: string, env = {}): Promise<ServerSettings> => {
  const settings = await parseConfig(text, { file, env: { HOME: folder, ...env } });
  return settings.toolboxes.get("t")?.servers.get("s") as ServerSettings;
};

describe("a reference to a secret", () => {
  it("stays in the settings as it is written, with its source beside it", async () => {
    const headers = { A: "Bearer ${keychain:TOKEN:-none} $${keychain:X}", B: "${file:~/b}" };
    const { transport, secretTexts } = await serverIn(
      textOf({ url: "https://h/${file:c}", headers }),
    );
    expect(transport).toMatchObject({
      url: "https://h/${file:c}",
      headers: { A: "Bearer ${keychain:TOKEN:-none} ${keychain:X}", B: "${file:~/b}" },
    });
    expect(secretTexts).toEqual([
      { at: ["url"], parts: ["https://h/", { kind: "file", path: join(folder, "c") }, ""] },
      {
        at: ["headers", "A"],
        parts: ["Bearer ", { kind: "keychain", name: "TOKEN", fallback: "none" }, " ${keychain:X}"],
      },
      { at: ["headers", "B"], parts: ["", { kind: "file", path: join(folder, "b") }, ""] },
    ]);
  });

  it("to a command has all that is needed to run it", async () => {
    const { secretTexts } = await serverIn(textOf({ command: "x", args: ["${command:gh}"] }));
    const run = {
      command: [join(folder, "print"), "a"],
      timeoutMs: 10_000,
      cacheMs: 300_000,
      inheritEnv: ["OP"],
      cwd: folder,
    };
    expect(secretTexts).toEqual([
      { at: ["args", 0], parts: ["", { kind: "command", name: "gh", run }, ""] },
    ]);
  });

  it("is never made of the value of a variable", async () => {
    const { transport, secretTexts } = await serverIn(
      textOf({ command: "x", env: { A: "${V}" } }),
      {
        V: "${file:/etc/passwd}",
      },
    );
    expect(transport).toMatchObject({ env: { A: "${file:/etc/passwd}" } });
    expect(secretTexts).toEqual([]);
  });

  it("to a command that does not exist makes only its server unavailable", async () => {
    const { unavailable } = await serverIn(textOf({ command: "x", env: { A: "${command:hub}" } }));
    expect(unavailable).toBe(
      "'secretCommands' has no hub; it has gh. Add it there, or correct ${command:hub}",
    );
    const disabled = { command: "x", env: { A: "${command:hub}" }, disabled: true };
    expect((await serverIn(textOf(disabled))).unavailable).toBeUndefined();
  });

  it.each([
    ["in the log file", textOf({ command: "x" }, { log: { file: "${keychain:A}" } })],
    ["in a program", textOf({ command: "${file:a}" })],
    [
      "in a secret command",
      textOf({ command: "x" }, { secretCommands: { a: { command: ["${file:a}"] } } }),
    ],
    [
      "in fixed arguments",
      textOf({ command: "x", overrides: { t: { arguments: { k: "${keychain:A}" } } } }),
    ],
  ])("%s is refused", async (_, text) => {
    await expect(serverIn(text)).rejects.toThrow("can refer to the keychain, a file or a command");
  });

  it.each(["${keychain:}", "${keychain:a-b}", "${file:}", "${command:}", "${command:a b}"])(
    "that is malformed is reported: %s",
    async (written) => {
      const text = textOf({ command: "x", env: { A: written } });
      await expect(serverIn(text)).rejects.toThrow(/does not name a secret\. Write/);
    },
  );
});

// Windows has no permission bits.
describe.runIf(process.getuid !== undefined)("a configuration that others can change", () => {
  const entry = { command: "x", env: { A: "${command:gh}" } };

  it("cannot run commands until it is trusted", async () => {
    const text = textOf(entry);
    writeFileSync(file, text);
    expect((await serverIn(text)).unavailable).toBeUndefined();
    chmodSync(file, 0o666);
    expect((await serverIn(text)).unavailable).toContain(`mcp-workbench trust --config ${file}`);
    await trustConfig({ file, bytes: Buffer.from(text) }, { HOME: folder });
    expect((await serverIn(text)).unavailable).toBeUndefined();
    expect((await serverIn(`${text} `)).unavailable).toContain("trust");
  });

  it("can read files of its own folder only", async () => {
    const text = textOf({ command: "x", env: { A: "${file:a}" } });
    writeFileSync(file, text);
    chmodSync(file, 0o666);
    const [first] = (await serverIn(text)).secretTexts;
    expect(first?.parts[1]).toMatchObject({ path: join(folder, "a"), within: folder });
  });
});
