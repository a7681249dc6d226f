/** `npm run check`, beside the other tests: types, rules and format of all files. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { describe, expect, it } from "vitest";
import manifest from "../package.json" with { type: "json" };

const commands = manifest.scripts.check.split(" && ");
/** The compiler uses all cores, of which a busy machine leaves it little. */
const BUSY = { timeout: 600_000 };

describe.concurrent("npm run check", () => {
  it.each(commands)("has nothing to report: %s", BUSY, async (command) => {
    const [name = "", ...args] = command.split(" ");
    const child = spawn("npx", ["--no-install", name, ...args], {
      shell: process.platform === "win32",
    });
    const output = [text(child.stdout), text(child.stderr)];
    const [exitCode] = (await once(child, "close")) as [number | null];
    expect(exitCode, (await Promise.all(output)).join("\n")).toBe(0);
  });
});
