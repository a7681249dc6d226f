import { PassThrough } from "node:stream";
import { describe, expect, it } from "vitest";

import { isWorkbenchError } from "../../errors.ts";
import { askHidden } from "./hidden-prompt.ts";

async function ask(...chunks: readonly string[]): Promise<string> {
  const modes: boolean[] = [];
  const input = Object.assign(new PassThrough(), { setRawMode: (raw: boolean) => modes.push(raw) });
  let drawn = "";
  const out = { draw: (text: string) => void (drawn += text) };
  const answer = askHidden("Value? ", out, new AbortController().signal, input);
  answer.catch(() => {});
  for (const chunk of chunks) {
    input.write(chunk);
    await new Promise((done) => setImmediate(done));
  }
  try {
    return await answer;
  } finally {
    expect(modes).toEqual([true, false]);
    expect(drawn).toMatch(/^Value\? /);
    expect(drawn).not.toContain("secret");
  }
}

describe("askHidden", () => {
  it.each([
    ["typed keys", ["sec", "ret", "\r"], "secret"],
    ["corrections", ["x\u0015secrex\u007ft\u0001", "\n"], "secret"],
    ["several pasted lines", ["\u001b[200~a\r\nb\rc\u001b[201~", "\r"], "a\nb\nc"],
    ["marks in pieces", ["\u001b[2", "00~secret\r\u001b[20", "1~", "\r"], "secret\n"],
    ["pasted lines without marks", ["a\nsecret\n"], "a\nsecret"],
    ["characters outside ASCII", ["sécret🙂x\u007f\u007f", "\r"], "sécret"],
  ])("reads %s", async (_, chunks, value) => {
    expect(await ask(...chunks)).toBe(value);
  });

  it.each(["\u0003", "\u0004"])("is interrupted by %j", async (key) => {
    const error: unknown = await ask(key).catch((reason: unknown) => reason);
    expect(isWorkbenchError(error) && error.code).toBe("INTERRUPTED");
  });
});
