/** A script that is suspended in one process and continued in another. In the full suite because it needs three processes. */
import { execFileSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { perTest } from "../support/disposables.ts";
import { temporaryFolder } from "../support/workbench.ts";

const PROGRAM = fileURLToPath(new URL("../support/suspended-script.mjs", import.meta.url));

const cleanup = perTest();

interface Answer {
  readonly pid: number;
  readonly outcome?: { readonly result: string };
}

function half(action: "suspend" | "resume", file: string, key: string): Answer {
  const output = execFileSync(process.execPath, ["--import", "tsx", PROGRAM, action, file, key], {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "pipe"],
  });
  return JSON.parse(output) as Answer;
}

describe("a suspended script", () => {
  it("continues in another process with its variables, open calls, output and media", () => {
    const file = join(temporaryFolder(cleanup), "script.sealed");
    const key = randomBytes(32).toString("hex");
    const first = half("suspend", file, key);
    const sealed = readFileSync(file);
    // What tools returned is not readable in it.
    expect(sealed.includes("xxxxx")).toBe(false);
    const second = half("resume", file, key);
    expect(second.pid).not.toBe(first.pid);
    const { content, _meta: meta } = JSON.parse(second.outcome?.result ?? "") as {
      content: { text: string }[];
      _meta: Record<string, { calls: number }>;
    };
    expect(JSON.parse(content[0]?.text ?? "")).toEqual({
      rows: 2000,
      sum: 1_999_000,
      answer: "yes {}",
      other: 'yes {"again":true}',
      later: 2000,
      from: first.pid,
    });
    expect(content.slice(1)).toEqual([
      { type: "text", text: "console:\nrows 2000" },
      { type: "image", mimeType: "image/png", data: "AAEC" },
    ]);
    expect(meta["mcp-workbench/script"]?.calls).toBe(5);

    const changed = Buffer.from(sealed);
    changed[sealed.length - 1] = (changed.at(-1) ?? 0) ^ 1;
    writeFileSync(file, changed);
    expect(() => half("resume", file, key)).toThrow(/suspended script cannot be opened/);
    writeFileSync(file, sealed);
    const other = randomBytes(32).toString("hex");
    expect(() => half("resume", file, other)).toThrow(/suspended script cannot be opened/);
  });
});
